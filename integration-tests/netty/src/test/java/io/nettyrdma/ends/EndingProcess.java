// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process that ends with channels open: one for each size, over which it writes as many bytes first. Its lines
 * {@code promise SIZE NAME OUTCOME} say what became of the promises. Arguments: transport, way, role, and as a server
 * the sizes, as a client {@code SIZE@PORT} for each channel.
 */
final class EndingProcess {

    private static final int LAST_WORD_BYTES = 3;

    private final EndKind kind;
    private final ProcessWay way;
    private final List<Channel> channels = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();

    private EndingProcess(EndKind kind, ProcessWay way) {
        this.kind = kind;
        this.way = way;
    }

    public static void main(String[] arguments) throws Exception {
        EndingProcess process = new EndingProcess(EndKind.valueOf(arguments[0]), ProcessWay.valueOf(arguments[1]));
        EventLoopGroup group = process.kind.newGroup(1);
        for (int i = 3; i < arguments.length; i++) {
            if (arguments[2].equals("server")) {
                process.accept(group, Integer.parseInt(arguments[i]));
            } else {
                String[] parts = arguments[i].split("@");
                process.sizes.add(Integer.valueOf(parts[0]));
                process.channels.add(process.kind
                        .newClient(group)
                        .handler(new Sink())
                        .connect("127.0.0.1", Integer.parseInt(parts[1]))
                        .sync()
                        .channel());
            }
        }
        process.writeAndEnd();
    }

    private void accept(EventLoopGroup group, int size) throws InterruptedException {
        BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
        Channel listener = kind.newServer(group, group)
                .childHandler(new Sink() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        accepted.add(context.channel());
                    }
                })
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        say("port " + size + " " + ((InetSocketAddress) listener.localAddress()).getPort());
        sizes.add(size);
        channels.add(accepted.take());
        listener.close();
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private void writeAndEnd() throws InterruptedException {
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < channels.size(); i++) {
            writes.add(channels.get(i).writeAndFlush(EndSide.pattern(0, sizes.get(i))));
        }
        for (int i = 0; i < writes.size(); i++) {
            writes.get(i).await(2500);
            say("promise " + sizes.get(i) + " write " + EndWords.of(writes.get(i)));
        }
        if (way == ProcessWay.TERM_HOOK) {
            Runtime.getRuntime().addShutdownHook(new Thread(this::lastWords));
        }
        if (way == ProcessWay.EXIT_AFTER_CLOSE) {
            List<ChannelFuture> closes = channels.stream().map(Channel::close).toList();
            for (int i = 0; i < closes.size(); i++) {
                closes.get(i).await(700);
                say("promise " + sizes.get(i) + " close " + EndWords.of(closes.get(i)));
            }
        }
        say("ready");
        switch (way) {
            case HALT -> Runtime.getRuntime().halt(0);
            case EXIT, EXIT_AFTER_CLOSE -> System.exit(0);
            case MAIN_END -> {}
            case KILL, TERM, TERM_HOOK -> Thread.sleep(60_000);
        }
    }

    /** The program's own hook: finishes what is under way, for one second, and closes. */
    private void lastWords() {
        try {
            Thread.sleep(1000);
            List<ChannelFuture> words = new ArrayList<>();
            for (int i = 0; i < channels.size(); i++) {
                words.add(channels.get(i).writeAndFlush(EndSide.pattern(sizes.get(i), LAST_WORD_BYTES)));
            }
            for (int i = 0; i < words.size(); i++) {
                words.get(i).await(300);
                say("promise " + sizes.get(i) + " last write " + EndWords.of(words.get(i)));
            }
            for (Channel channel : channels) {
                channel.close().await(300);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ChannelHandler.Sharable
    private static class Sink extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The promises tell.
        }
    }
}
