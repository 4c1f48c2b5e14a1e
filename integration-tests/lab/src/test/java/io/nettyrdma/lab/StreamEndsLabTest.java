// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DuplexChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.stream.CapturedStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ends of byte streams whose peer is a program in C that calls rsockets, in the guest. A program that waits in
 * {@code rrecv} never learns of a lost connection, so each way in which this side ends has to reach it.
 */
@Lab
@Tag("rsockets")
class StreamEndsLabTest {

    /** The side of Java. */
    enum Role {
        ACCEPTS,
        CONNECTS;

        String lowerCase() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String WAITS_FOR_THE_END = "receive=5 end";
    private static final int FIRST_BYTES = ExitingJvm.FIRST_BYTES;
    private static final Pattern END =
            Pattern.compile("LAB: end after (\\d+) bytes, ([\\d.]+) ms behind the last, ([\\d.]+) ms of them starved");
    private static final double END_LIMIT_MILLIS = 1000;

    @TempDir
    private static Path directory;

    private static Path program;

    private EventLoopGroup group;

    @BeforeAll
    static void make() throws Exception {
        program = RsocketsPeer.make(directory);
    }

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @ParameterizedTest
    @EnumSource
    void peerEndsItsDirectionFirst(Role role, LabGuest guest) throws Exception {
        Meeting meeting = new Meeting("ends-peer-first", role, ChannelOption.ALLOW_HALF_CLOSURE, true);
        meeting.run(guest, "send=70000 shutdown receive=100000 end", () -> {
            meeting.journal.awaitInputEnd();
            assertThat(meeting.journal.receivedBytes()).isEqualTo(70_000);
            Channel channel = meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, 100_000)).addListener(ChannelFutureListener.CLOSE);
            meeting.journal.awaitInactive();
            assertThat(meeting.peer.awaitEnd()).contains("LAB: end after 100000 bytes");
        });
        assertThat(meeting.journal.failures()).isEmpty();
        assertThat(meeting.ofPeer().isShutDown()).isTrue();
        assertThat(meeting.ofJava().isDisconnected()).isTrue();
    }

    /**
     * The program closes when its bytes have arrived: Linux resets a closed connection on which a limit of ours arrives
     * and drops bytes that it has not transmitted.
     */
    @ParameterizedTest
    @EnumSource
    void javaEndsItsDirectionFirst(Role role, LabGuest guest) throws Exception {
        Meeting meeting = new Meeting("ends-java-first", role, ChannelOption.ALLOW_HALF_CLOSURE, true);
        meeting.run(guest, "end send=100000 await=GO", () -> {
            DuplexChannel channel = (DuplexChannel) meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, 70_000));
            channel.shutdownOutput().sync();
            meeting.journal.awaitBytes(100_000);
            meeting.peer.go();
            meeting.journal.awaitInputEnd();
            channel.close().sync(); // as over TCP, nothing else closes it
            assertThat(meeting.journal.receivedBytes()).isEqualTo(100_000);
            assertThat(meeting.peer.awaitEnd()).contains("LAB: end after 70000 bytes");
        });
        assertThat(meeting.journal.failures()).isEmpty();
        assertThat(meeting.ofJava().isShutDown()).isTrue();
        assertThat(meeting.ofPeer().isDisconnected()).isTrue();
    }

    /** The program ends its direction before it looks at what has arrived. */
    @ParameterizedTest
    @EnumSource
    void bothEndTheirDirectionsAtATime(Role role, LabGuest guest) throws Exception {
        Meeting meeting = new Meeting("ends-crossing", role, ChannelOption.ALLOW_HALF_CLOSURE, true);
        meeting.run(guest, "send=5 receive=5 say=ready await=GO shutdown end", () -> {
            DuplexChannel channel = (DuplexChannel) meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES));
            meeting.peer.awaitOutput("LAB: ready");
            meeting.journal.awaitBytes(FIRST_BYTES);
            channel.shutdownOutput();
            meeting.peer.go();
            meeting.journal.awaitInputEnd();
            channel.close().sync();
            assertThat(meeting.peer.awaitEnd()).contains("LAB: end after 5 bytes");
        });
        assertThat(meeting.journal.failures()).isEmpty();
        assertThat(meeting.ofJava().isShutDown()).isTrue();
        assertThat(meeting.ofPeer().isShutDown()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void peerClosesWithUnreadBytes(Role role, LabGuest guest) throws Exception {
        Meeting meeting = new Meeting("ends-peer-unread", role, ChannelOption.AUTO_READ, true);
        meeting.run(guest, "receive=5 send=1000 say=ready await=GO", () -> {
            Channel channel = meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES));
            meeting.peer.awaitOutput("LAB: ready");
            // More than the program's buffers and the channel's send buffer hold.
            ChannelFuture unread = channel.writeAndFlush(StreamJournal.counting(FIRST_BYTES, 8_000_000));
            meeting.peer.go();
            meeting.journal.awaitInactive();
            meeting.peer.awaitEnd();
            assertThat(meeting.journal.receivedBytes()).isEqualTo(1000);
            assertThat(unread.await(Deadline.MILLIS)).isTrue();
            assertThat(unread.cause()).isInstanceOf(IOException.class);
        });
        assertThat(meeting.ofPeer().isDisconnected()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void javaClosesWithUnreadBytes(Role role, LabGuest guest) throws Exception {
        Meeting meeting = new Meeting("ends-java-unread", role, ChannelOption.AUTO_READ, false);
        meeting.run(guest, "receive=5 send=10000 end", () -> {
            Channel channel = meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES));
            meeting.peer.awaitOutput("LAB: waits for the end");
            channel.close().sync();
            assertThat(meeting.peer.awaitEnd()).contains("LAB: end after 5 bytes");
        });
        assertThat(meeting.journal.receivedBytes()).isZero();
        assertThat(meeting.ofJava().isDisconnected()).isTrue();
    }

    /** The guest's system ends its connection in order, as TCP does. */
    @ParameterizedTest
    @EnumSource
    void killedPeerIsAnEnd(Role role, LabGuest guest) throws Exception {
        Meeting meeting = new Meeting("ends-peer-killed", role, ChannelOption.AUTO_READ, true);
        meeting.run(guest, "receive=5 end", () -> {
            Channel channel = meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES));
            meeting.peer.awaitOutput("LAB: waits for the end");
            meeting.peer.kill();
            meeting.journal.awaitInactive();
        });
        assertThat(meeting.journal.failures()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void waitingPeerSeesTheEndWhenJavaCloses(Role role, LabGuest guest) throws Exception {
        javaEnds("ends-java-closes", role, guest, ChannelHandlerContext::close);
    }

    @ParameterizedTest
    @EnumSource
    void waitingPeerSeesTheEndWhenAHandlerFails(Role role, LabGuest guest) throws Exception {
        javaEnds("ends-handler-fails", role, guest, context -> {
            throw new IllegalStateException("made by the test");
        });
    }

    /** Has Java send a last byte and end the connection on its event loop. A failure closes the channel. */
    private void javaEnds(String name, Role role, LabGuest guest, Consumer<ChannelHandlerContext> end)
            throws Exception {
        Meeting meeting = new Meeting(name, role, ChannelOption.AUTO_READ, true, new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                context.writeAndFlush(StreamJournal.counting(FIRST_BYTES, 1));
                end.accept(context);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        });
        meeting.run(guest, WAITS_FOR_THE_END, () -> {
            Channel channel = meeting.journal.awaitActive();
            channel.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES));
            meeting.peer.awaitOutput("LAB: waits for the end");
            channel.pipeline().fireUserEventTriggered("end");
            assertSeesTheEnd(meeting.name(), meeting.peer);
        });
        assertThat(meeting.journal.failures()).isEmpty();
        assertThat(meeting.ofJava().isDisconnected()).isTrue();
    }

    @Test
    void waitingClientSeesTheEndWhenTheJvmExits(LabGuest guest) throws Exception {
        String name = "ends-jvm-exits";
        try (ExitingJvm jvm = ExitingJvm.start(directory);
                RsocketsPeer peer =
                        RsocketsPeer.connect(guest, program, name, jvm.awaitPort(), "1 " + WAITS_FOR_THE_END)) {
            assertThat(exit(name + "-accepts", jvm, peer).back().isDisconnected())
                    .isTrue();
        }
    }

    @Test
    void waitingServerSeesTheEndWhenTheJvmExits(LabGuest guest) throws Exception {
        String name = "ends-jvm-exits";
        try (RsocketsPeer peer = RsocketsPeer.listen(guest, program, name, "1 " + WAITS_FOR_THE_END);
                ExitingJvm jvm = ExitingJvm.start(directory, String.valueOf(peer.port()))) {
            assertThat(exit(name + "-connects", jvm, peer).forth().isDisconnected())
                    .isTrue();
        }
    }

    private static CapturedStream exit(String name, ExitingJvm jvm, RsocketsPeer peer) throws Exception {
        peer.command().asTheOtherEndOf(() -> {
            peer.awaitOutput("LAB: waits for the end");
            jvm.exit();
        });
        assertSeesTheEnd(name, peer);
        return peer.judge().get(0);
    }

    /**
     * Asserts that the program has seen the end within a second behind the last byte, as users of a program in C wait
     * for it. An end that only a timeout of this side causes takes several seconds.
     *
     * <p>The program measures the time by the guest's clock, and next to it the part in which a thread of its own did
     * not run although it was due. This part does not count: on a busy machine the guest gets no processor for a while,
     * and its clock goes on. The JVM then waits for a processor as well, as the guest's are threads beside it. A second
     * attempt would not help, as the machine may be busy for minutes.
     */
    private static void assertSeesTheEnd(String name, RsocketsPeer peer) throws Exception {
        String output = peer.awaitEnd();
        Matcher end = END.matcher(output);
        assertThat(end.find()).as(output).isTrue();
        System.out.println(name + ": " + end.group());
        assertThat(end.group(1)).isEqualTo("6");
        assertThat(Double.parseDouble(end.group(2)) - Double.parseDouble(end.group(3)))
                .as("milliseconds in which the guest ran, of %s", end.group())
                .isLessThan(END_LIMIT_MILLIS);
    }

    @Test
    void hundredClientsInTurnReadTheFirstBytesOfTheServer(LabGuest guest) throws Exception {
        int connections = 100;
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public boolean isSharable() {
                        return true;
                    }

                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        context.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        try (RsocketsPeer peer =
                RsocketsPeer.connect(guest, program, "ends-server-first", port, connections + " receive=5")) {
            peer.awaitEnd();
            List<CapturedStream> streams = peer.judge();
            assertThat(streams).hasSize(connections);
            assertThat(streams)
                    .allSatisfy(stream -> assertThat(stream.back().dataBytes()).isEqualTo(FIRST_BYTES));
        }
    }

    @Test
    void hundredConnectsInTurnReadTheFirstBytesOfTheServer(LabGuest guest) throws Exception {
        int connections = 100;
        try (RsocketsPeer peer =
                RsocketsPeer.listen(guest, program, "ends-server-first", connections + " send=5 end")) {
            peer.command().asTheOtherEndOf(() -> {
                for (int i = 0; i < connections; i++) {
                    StreamJournal journal = new StreamJournal();
                    Channel channel = new Bootstrap()
                            .group(group)
                            .channel(RdmaSocketChannel.class)
                            .handler(journal)
                            .connect(InetAddress.getLoopbackAddress(), peer.port())
                            .sync()
                            .channel();
                    journal.awaitBytes(FIRST_BYTES);
                    channel.close().sync();
                    assertThat(journal.failures()).isEmpty();
                }
            });
            peer.awaitEnd();
            List<CapturedStream> streams = peer.judge();
            assertThat(streams).hasSize(connections);
            assertThat(streams)
                    .allSatisfy(stream -> assertThat(stream.back().dataBytes()).isEqualTo(FIRST_BYTES));
        }
    }

    /** One connection of Java and the program. */
    private final class Meeting {
        private final String name;
        private final Role role;
        private final ChannelOption<Boolean> option;
        private final boolean value;
        private final ChannelHandler above;
        private final StreamJournal journal = new StreamJournal();
        private RsocketsPeer peer;
        private CapturedStream stream;

        Meeting(String name, Role role, ChannelOption<Boolean> option, boolean value) {
            this(name, role, option, value, new ChannelInboundHandlerAdapter());
        }

        Meeting(String name, Role role, ChannelOption<Boolean> option, boolean value, ChannelHandler above) {
            this.name = name;
            this.role = role;
            this.option = option;
            this.value = value;
            this.above = above;
        }

        String name() {
            return name + "-" + role.lowerCase();
        }

        /** Connects, runs Java's end of the exchange, and judges the capture. */
        void run(LabGuest guest, String steps, GuestCommand.Exchange exchange) throws Exception {
            ChannelInitializer<Channel> handler = new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(journal, above);
                }
            };
            try (RsocketsPeer met =
                    role == Role.ACCEPTS ? accept(guest, steps, handler) : connect(guest, steps, handler)) {
                peer = met;
                met.command().asTheOtherEndOf(exchange);
                List<CapturedStream> streams = met.judge();
                assertThat(streams).hasSize(1);
                stream = streams.get(0);
            }
            assertThat(ofJava().wordsAfterDisconnect()).isZero();
        }

        private RsocketsPeer accept(LabGuest guest, String steps, ChannelHandler handler) throws Exception {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class)
                    .childHandler(handler)
                    .childOption(option, value)
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            return RsocketsPeer.connect(guest, program, name, port, "1 " + steps);
        }

        private RsocketsPeer connect(LabGuest guest, String steps, ChannelHandler handler) throws Exception {
            RsocketsPeer listening = RsocketsPeer.listen(guest, program, name, "1 " + steps);
            new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .handler(handler)
                    .option(option, value)
                    .connect(InetAddress.getLoopbackAddress(), listening.port());
            return listening;
        }

        CapturedStream.Direction ofJava() {
            return role == Role.ACCEPTS ? stream.back() : stream.forth();
        }

        CapturedStream.Direction ofPeer() {
            return role == Role.ACCEPTS ? stream.forth() : stream.back();
        }
    }
}
