// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.ibm.disni.verbs.RdmaProvider;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoHandlerFactory;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.disni.PlainDisni;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Map;

/** Providers on which channels behave the same, as far as capabilities go. */
public enum TestProvider {
    /** The software provider, driven by the event loop. */
    SOFT(2) {
        @Override
        public VerbsExtensions extensions() {
            return Rdma.extensions();
        }
    },
    /**
     * The software provider with a thread behind DiSNI's API, with the traits of libdisni, and the adapter with its
     * waiting threads in front of it. It stands for every provider that knows nothing of this project.
     */
    DISNI(2) {
        @Override
        public VerbsExtensions extensions() {
            return PlainDisni.extensions();
        }
    },
    /** A device that is as unhelpful as it may be. */
    STRICT(StrictDevice.shared().has(Trait.NO_MIGRATION) ? 1 : 2) {
        @Override
        public VerbsExtensions extensions() {
            return StrictDevice.shared().extensions();
        }
    },
    /** A kernel's device, siw or rxe, where the tests are run with {@code -Dio.nettyrdma.provider=native}. */
    NATIVE(2) {
        @Override
        public VerbsExtensions extensions() {
            return Rdma.extensions();
        }
    };

    private static final TestProvider TESTED =
            switch (Lane.tested()) {
                case SOFT -> SOFT;
                case STRICT -> STRICT;
                case DISNI -> DISNI;
                case SIW, RXE -> NATIVE;
            };

    /** What servers are bound to: loopback, unless a system property gives the address of a device. */
    static InetAddress address() {
        try {
            return InetAddress.getByName(System.getProperty("test.address"));
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same of IPv6. */
    static InetAddress addressOfVersion6() {
        try {
            return InetAddress.getByName(System.getProperty("test.address6", "::1"));
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Event loops of a listener and its children: more than one only if connections can move. */
    final int serverLoops;

    TestProvider(int serverLoops) {
        this.serverLoops = serverLoops;
    }

    public abstract VerbsExtensions extensions();

    /** What of it is alive. */
    OpenResources openResources() throws IOException {
        return switch (this) {
            case STRICT -> StrictDevice.shared().openResources();
            case DISNI -> PlainDisni.openResources();
            case NATIVE -> OpenResources.NONE; // what is left open there makes the guest's device busy
            case SOFT -> ((SoftProvider) RdmaProvider.provider()).openResources();
        };
    }

    /** Returns the provider that all tests of this JVM run over. */
    public static TestProvider tested() {
        return TESTED;
    }

    /** Returns whether the strict device is tested and has a trait. */
    public boolean has(Trait trait) {
        return this == STRICT && StrictDevice.shared().has(trait);
    }

    /** Returns whether the device tells why a connection has ended; DISCONNECTED events of siw and rxe do not. */
    public boolean tellsReasons() {
        return !has(Trait.NO_REASONS);
    }

    /**
     * Declares the exception of a connection that ended for a reason no handler takes. Where the device does not tell
     * the reason, there may be a failed request that does, or no exception.
     */
    public void expectUnhandledReason() {
        if (tellsReasons()) {
            Logs.expectUnhandledException();
        } else {
            Logs.allowUnhandledException();
        }
    }

    /**
     * Skips tests whose peer sends more than there are receives. Siw, rxe and hardware end the connection at the first
     * message that finds none.
     */
    public void assumeWaitsForReceives() {
        assumeTrue(waitsForReceives(), "needs messages that wait for receives");
    }

    public IoHandlerFactory newFactory() {
        return newFactory(RdmaIoHandlerConfig.defaults());
    }

    /** Of loops over a device whose completion queues have so many entries at most. */
    IoHandlerFactory newFactoryWithQueuesOf(int completions) {
        return RdmaIoHandler.newFactory(
                RdmaIoHandlerConfig.defaults(),
                ChangedCapabilities.over(extensions(), Map.of("maxCompletions", completions)));
    }

    IoHandlerFactory newFactory(RdmaIoHandlerConfig config) {
        return RdmaIoHandler.newFactory(config, extensions());
    }

    void assumePrivateData() {
        assumeTrue(extensions().capabilities().privateData().any(), "needs private data");
    }

    void assumeIpVersion6() {
        assumeTrue(this != DISNI, "needs IPv6");
    }

    void assumeReject() {
        assumeTrue(this != DISNI, "needs reject");
    }

    /** Siw keeps whoever destroys an id that waits for the peer's half of the handshake as long as it would wait. */
    void assumeHandshakesCanBeGivenUp() {
        assumeTrue(!isSiw(), "needs handshakes that can be given up");
    }

    /** The kernel's connection manager counts a request only until the event loop has taken its event. */
    void assumeBacklogOfUnansweredRequests() {
        assumeTrue(this != NATIVE, "needs a backlog that counts requests until they are answered");
    }

    /** A listener on siw of Linux 6.1 does not survive some connections that end before they are requests. */
    void assumeListenersBearStrangers() {
        assumeTrue(!isSiw(), "needs listeners that strangers cannot end");
    }

    void assumeRemoteInvalidation() {
        assumeTrue(canBeInvalidated(), "needs memory that the peer may invalidate");
    }

    /** Tests that look at what passes over TCP, which is little when connections move to shared memory at once. */
    void assumeAllOverTcp() {
        assumeTrue(!System.getProperty("io.nettyrdma.soft.sameHost").equals("always"), "needs all octets over TCP");
    }

    /** Tests of what somebody who speaks TCP does to others. */
    void assumeTcp() {
        assumeTrue(Lane.tested() != Lane.RXE, "needs a device over TCP");
    }

    void assumeMigration() {
        assumeTrue(serverLoops > 1, "needs connections that move to another event loop");
    }

    /** Asserts that private data came as it was sent; InfiniBand and RoCE add zeros up to the size of their field. */
    void assertPrivateData(byte[] received, byte[] sent) {
        assertThat(received).startsWith(sent);
        byte[] rest = Arrays.copyOfRange(received, sent.length, received.length);
        assertThat(rest).containsOnly(new byte[rest.length]);
        if (!pads()) {
            assertThat(rest).isEmpty();
        }
    }

    /**
     * Asserts that a Read failed because the peer does not allow it. Siw does not look at the peer's Terminate: its
     * Reads are flushed with the connection that was lost.
     */
    void assertReadRefused(Throwable cause) {
        if (speaksLikeIwarp()) {
            assertThat(cause).isInstanceOf(IOException.class);
        } else {
            assertThat(cause).isInstanceOfSatisfying(RdmaWorkRequestException.class, e -> assertThat(e.status())
                    .isEqualTo(10));
        }
    }

    /**
     * Whether a Send that finds no receive waits for one. Siw, rxe and hardware end the connection, so a test may not
     * send more than is posted there.
     */
    boolean waitsForReceives() {
        return extensions().capabilities().waitsForReceives();
    }

    /** Lets a server post as many receives as a client sends messages, where it has to. */
    void postReceivesFor(int messages, ServerBootstrap server) {
        if (!waitsForReceives()) {
            server.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, messages);
        }
    }

    /**
     * Waits until what a channel has exposed can be reached by others than those who got a message later: windows are
     * bound by requests, and an empty Write behind them is done after them.
     */
    void awaitExposure(RdmaChannel channel) throws Exception {
        if (this == NATIVE) {
            RemoteSegment nowhere = new RemoteSegment(0, 0, 0);
            ChannelPair.await(channel.writeAndFlush(new RdmaWrite(Unpooled.EMPTY_BUFFER, nowhere)), "empty Write");
        }
    }

    /**
     * Siw of Linux 6.1 lets a peer read all memory that is registered for remote access, also if only to be written.
     */
    void assumeReadRights() {
        assumeTrue(!isSiw(), "needs rights to read");
    }

    /**
     * Whether it is known of requests before a refused one that they were done. Siw flushes the refused one, and what
     * is flushed says nothing of unsignalled requests before it.
     */
    boolean tellsWhatWasDoneBeforeARefusal() {
        return !speaksLikeIwarp();
    }

    private boolean isSiw() {
        return Lane.tested() == Lane.SIW;
    }

    private boolean pads() {
        return has(Trait.PRIVATE_DATA_PADDED, Lane.RXE);
    }

    private boolean speaksLikeIwarp() {
        return has(Trait.STATUS_IWARP, Lane.SIW);
    }

    /** Whether the strict device has a trait, or the kernel's device is the one that has it. */
    private boolean has(Trait trait, Lane device) {
        return has(trait) || Lane.tested() == device;
    }

    /** Whether Send with Invalidate may be sent. */
    boolean canInvalidate() {
        return extensions().capabilities().sendInvalidate();
    }

    /** Whether a Send with Invalidate may name memory of the peer, which is on the same device. */
    boolean canBeInvalidated() {
        return canInvalidate()
                && (this == NATIVE
                        ? Lane.tested() == Lane.RXE
                        : extensions().capabilities().remoteInvalidation());
    }

    /** Tests that look at the reason which only the extensions of a provider can tell. */
    void assumeReasons() {
        boolean strict = this == STRICT && !StrictDevice.shared().has(Trait.NO_REASONS);
        assumeTrue(this == SOFT || strict, "needs reasons");
    }
}
