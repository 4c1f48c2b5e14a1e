// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.nfs.client.Replies.Decoder;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.RecordMarkCodec;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Asks a server's mount daemon for the handle of an exported directory (MOUNT version 3, RFC 1813, section 5), and its
 * portmapper for the daemon's port (RFC 1833, section 3). Neither speaks RDMA, so this is RPC over TCP, with one
 * connection per call: there is one call to each.
 *
 * <p>Threading: any thread, methods wait for the answer; not for event loops. Ownership: owns an event loop, to be
 * closed.
 */
public final class MountClient implements AutoCloseable {

    private static final int GETPORT = 3;
    private static final int TCP = 6;

    private static final long SHUTDOWN_SECONDS = 5;
    private static final int MAX_REPLY_BYTES = 64 * 1024;
    private static final int HIGHEST_RESERVED_PORT = 1023;
    private static final int LOWEST_RESERVED_PORT = 512;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AuthSys credential;
    private final Duration timeout;
    private final boolean reservedPort;

    /**
     * A client of any number of servers.
     *
     * @param credential   of all calls
     * @param timeout      of each connect and each call
     * @param reservedPort whether to call from a port below 1024, as servers want whose exports lack "insecure"; takes
     *                     privileges
     */
    public MountClient(AuthSys credential, Duration timeout, boolean reservedPort) {
        this.credential = credential;
        this.timeout = timeout;
        this.reservedPort = reservedPort;
    }

    /**
     * Asks a portmapper for the TCP port of the mount daemon.
     *
     * @param portmapper usually on port 111
     */
    public int mountPort(InetSocketAddress portmapper) throws IOException, InterruptedException {
        ByteBuf call = begin(RpcPrograms.PORTMAPPER, RpcPrograms.PORTMAPPER_VERSION, GETPORT)
                .writeInt(RpcPrograms.MOUNT)
                .writeInt(RpcPrograms.MOUNT_VERSION)
                .writeInt(TCP)
                .writeInt(0);
        int port = call(portmapper, "GETPORT", call, ByteBuf::readInt);
        if (port <= 0 || port > 0xffff) {
            throw new IOException("the portmapper at " + portmapper + " knows no mount daemon of version 3 over TCP");
        }
        return port;
    }

    /**
     * MNT: the handle of an exported directory, or of one below.
     *
     * @throws Nfs3Exception if the server refuses
     */
    public FileHandle mount(InetSocketAddress daemon, String directory) throws IOException, InterruptedException {
        ByteBuf call = begin(MountProcedure.MNT);
        Xdr.writeString(call, directory);
        String what = "MNT of " + directory;
        return call(daemon, what, call, Replies.checked(what, "MNT3ERR_", FileHandle::read));
    }

    /** UMNT: tells the server that the directory is not used any more. Handles stay valid; it is a courtesy. */
    public void unmount(InetSocketAddress daemon, String directory) throws IOException, InterruptedException {
        ByteBuf call = begin(MountProcedure.UMNT);
        Xdr.writeString(call, directory);
        call(daemon, "UMNT of " + directory, call, in -> true);
    }

    @Override
    public void close() {
        EventLoops.shutDown(group, SHUTDOWN_SECONDS);
    }

    private ByteBuf begin(MountProcedure procedure) {
        return begin(RpcPrograms.MOUNT, RpcPrograms.MOUNT_VERSION, procedure.number());
    }

    private ByteBuf begin(int program, int version, int procedure) {
        int xid = ThreadLocalRandom.current().nextInt();
        return RpcMessages.call(UnpooledByteBufAllocator.DEFAULT, xid, program, version, procedure, credential);
    }

    /** Sends a call, which is taken over, over a connection of its own. */
    private <T> T call(InetSocketAddress server, String what, ByteBuf call, Decoder<T> decoder)
            throws IOException, InterruptedException {
        Promise<ByteBuf> reply = group.next().newPromise();
        Channel channel;
        try {
            channel = connect(server, reply);
        } catch (Throwable e) { // threads may be short, too
            call.release();
            throw e;
        }
        try {
            channel.writeAndFlush(call);
            return Replies.decode(what, Addresses.describe(server), Replies.await(reply), decoder);
        } catch (InterruptedException e) {
            Replies.discard(reply);
            throw e;
        } finally {
            channel.close();
        }
    }

    private Channel connect(InetSocketAddress server, Promise<ByteBuf> reply) throws IOException, InterruptedException {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()))
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new RecordMarkCodec(MAX_REPLY_BYTES))
                                .addLast(new ReadTimeoutHandler(timeout.toMillis(), TimeUnit.MILLISECONDS))
                                .addLast(new FirstReply(server, reply));
                    }
                });
        if (!reservedPort) {
            return connected(bootstrap.connect(server));
        }
        for (int port = HIGHEST_RESERVED_PORT; port > LOWEST_RESERVED_PORT; port--) {
            try {
                return connected(bootstrap.connect(server, new InetSocketAddress(port)));
            } catch (BindException e) {
                // Another program's; the next may be free.
            }
        }
        return connected(bootstrap.connect(server, new InetSocketAddress(LOWEST_RESERVED_PORT)));
    }

    private static Channel connected(ChannelFuture connect) throws IOException, InterruptedException {
        Replies.await(connect);
        return connect.channel();
    }

    /** Completes a promise with the first message, or with what went wrong instead. */
    private static final class FirstReply extends SimpleChannelInboundHandler<ByteBuf> {

        private final InetSocketAddress server;
        private final Promise<ByteBuf> reply;

        FirstReply(InetSocketAddress server, Promise<ByteBuf> reply) {
            super(false); // the message goes on, in the promise
            this.server = server;
            this.reply = reply;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            if (!reply.trySuccess(message)) {
                message.release();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            reply.tryFailure(new EOFException(Addresses.describe(server) + " closed the connection unanswered"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            String text = cause instanceof ReadTimeoutException
                    ? "no answer from " + Addresses.describe(server) + " in time"
                    : "connection to " + Addresses.describe(server) + " failed: " + PeerText.reason(cause);
            reply.tryFailure(new IOException(text, cause));
            ctx.close();
        }
    }
}
