// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An id over one that answers as libdisni does: in the words of C++, and by results that are no exceptions. */
class DisniCmIdTest {

    private static final InetSocketAddress REMOTE = new InetSocketAddress("127.0.0.1", 7471);

    private final BlockingQueue<RdmaCmEvent> queue = new LinkedBlockingQueue<>();
    private Behind behind;
    private DisniVerbsExtensions verbs;
    private RdmaEventChannel loop;
    private RdmaCmId id;

    /** The provider's id: what was called, and what it says to it. */
    private static final class Behind extends RdmaCmId {
        final List<String> calls = new CopyOnWriteArrayList<>();
        String failure = "";
        int result;
        IbvQP qp;

        Behind(RdmaEventChannel events) throws IOException {
            super(events, null);
        }

        private void call(String name) throws IOException {
            calls.add(name);
            if (!failure.isEmpty()) {
                throw new IOException("j2c::x: rdma_x failed: " + failure + "\n");
            }
        }

        @Override
        public void bindAddr(SocketAddress address) throws IOException {
            call("bind " + address);
        }

        @Override
        public void listen(int backlog) throws IOException {
            call("listen");
        }

        @Override
        public void resolveAddr(SocketAddress source, SocketAddress destination, int timeout) throws IOException {
            call("resolve " + destination);
        }

        @Override
        public void connect(RdmaConnParam parameters) throws IOException {
            call("connect");
        }

        @Override
        public IbvQP createQP(IbvPd pd, IbvQPInitAttr attributes) throws IOException {
            call("create queue pair");
            qp = new IbvQP(1);
            return qp;
        }

        @Override
        public int disconnect() throws IOException {
            call("disconnect");
            return result;
        }

        @Override
        public int destroyQP() throws IOException {
            call("destroy queue pair");
            return result;
        }

        @Override
        public int destroyId() throws IOException {
            call("destroy");
            return result;
        }
    }

    private final class Events extends RdmaEventChannel {
        Events() throws IOException {
            super(0);
        }

        @Override
        public RdmaCmId createId(short portSpace) throws IOException {
            behind = new Behind(this);
            return behind;
        }

        @Override
        public RdmaCmEvent getCmEvent(int timeout) throws IOException {
            try {
                return queue.poll(timeout, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public int destroyEventChannel() {
            return 0;
        }
    }

    @BeforeEach
    void open() throws Exception {
        RdmaProviders.get(); // DiSNI's constructors ask for a provider
        verbs = new DisniVerbsExtensions(Events::new);
        loop = verbs.openConfinedEventChannel();
        id = loop.createId(RdmaCm.RDMA_PS_TCP);
    }

    @AfterEach
    void close() throws Exception {
        verbs.closeEventChannel(loop);
    }

    @Test
    void refusedConnectIsAConnectExceptionThatNamesTheAddress() throws Exception {
        id.resolveAddr(null, REMOTE, 1000);
        behind.failure = "Connection refused";
        assertThatThrownBy(() -> id.connect(new RdmaConnParam()))
                .isInstanceOf(ConnectException.class)
                .hasMessage("Connection refused: /127.0.0.1:7471")
                .hasRootCauseMessage("j2c::x: rdma_x failed: Connection refused\n");
    }

    @ParameterizedTest
    @CsvSource({
        "Connection timed out, java.net.ConnectException",
        "Connection reset by peer, java.net.ConnectException",
        "No route to host, java.net.NoRouteToHostException",
        "Network is unreachable, java.net.NoRouteToHostException",
        "No such device, java.net.ConnectException",
        "Verbindungsaufbau abgelehnt, java.net.ConnectException",
    })
    void errorsOfConnectingKeepTheirWordsAndNameTheAddress(String words, Class<? extends IOException> type) {
        behind.failure = words;
        assertThatThrownBy(() -> id.resolveAddr(null, REMOTE, 1000))
                .isExactlyInstanceOf(type)
                .hasMessageContaining(words)
                .hasMessageContaining("/127.0.0.1:7471");
    }

    @ParameterizedTest
    @CsvSource({
        "Address already in use, java.net.BindException",
        "Cannot assign requested address, java.net.BindException",
        "Permission denied, java.net.BindException",
        "No such device, java.net.BindException",
    })
    void errorsOfBindingAreBindExceptions(String words, Class<? extends IOException> type) {
        behind.failure = words;
        assertThatThrownBy(() -> id.bindAddr(REMOTE))
                .isExactlyInstanceOf(type)
                .hasMessageContaining(words)
                .hasMessageContaining("/127.0.0.1:7471");
    }

    @Test
    void memoryThatMayNotBeLockedNamesTheLimit() {
        behind.failure = "Cannot allocate memory";
        assertThatThrownBy(() -> id.createQP(null, new IbvQPInitAttr()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot allocate memory")
                .hasMessageContaining("RLIMIT_MEMLOCK");
    }

    @Test
    void ipv6IsRefusedByNameBeforeTheProviderHearsOfIt() {
        InetSocketAddress ipv6 = new InetSocketAddress("2001:db8::1", 7471);
        assertThatThrownBy(() -> id.bindAddr(ipv6))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("IPv4")
                .hasMessageContaining("2001:db8");
        assertThatThrownBy(() -> id.resolveAddr(null, ipv6, 1000))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("IPv4");
        assertThatThrownBy(() -> id.resolveAddr(ipv6, REMOTE, 1000))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("IPv4");
        assertThat(behind.calls).isEmpty();
    }

    @Test
    void addressToConnectFromIsBoundBecauseTheProviderIgnoresIt() throws Exception {
        InetSocketAddress local = new InetSocketAddress("127.0.0.2", 0);
        id.resolveAddr(local, REMOTE, 1000);
        assertThat(behind.calls).containsExactly("bind " + local, "resolve " + REMOTE);
    }

    @Test
    void moveToErrorDisconnects() throws Exception {
        IbvQP qp = id.createQP(null, new IbvQPInitAttr());
        behind.result = -1; // as of an id that was never connected
        verbs.toError(qp);
        // Made where calls may hold their caller.
        Deadline.until(() -> behind.calls.contains("disconnect"), "the call is made");
        assertThat(behind.calls).containsExactly("create queue pair", "disconnect");
        behind.result = 0;
        id.destroyQP();
        assertThatThrownBy(() -> verbs.toError(qp)).isInstanceOf(IOException.class);
    }

    @Test
    void resultsOfDestructionAreLookedAt() throws Exception {
        id.createQP(null, new IbvQPInitAttr());
        behind.result = 16;
        assertThatThrownBy(id::destroyQP)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("queue pair")
                .hasMessageContaining("16");
        assertThatThrownBy(id::destroyId)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("id")
                .hasMessageContaining("16");
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA_CM_EVENT_REJECTED, does not say",
        "RDMA_CM_EVENT_UNREACHABLE, RDMA_CM_EVENT_UNREACHABLE",
        "RDMA_CM_EVENT_CONNECT_ERROR, RDMA_CM_EVENT_CONNECT_ERROR",
        "RDMA_CM_EVENT_ADDR_ERROR, RDMA_CM_EVENT_ADDR_ERROR",
        "RDMA_CM_EVENT_ROUTE_ERROR, RDMA_CM_EVENT_ROUTE_ERROR",
        "RDMA_CM_EVENT_DEVICE_REMOVAL, RDMA_CM_EVENT_DEVICE_REMOVAL",
    })
    void endsWithoutAStatusSayWhatTheyAre(EventType type, String words) throws Exception {
        assertThat(verbs.disconnectReason(id)).isNull();
        queue.add(new RdmaCmEvent(type.ordinal(), null, behind));
        awaitEvent();
        assertThat(verbs.disconnectReason(id)).contains(words);
    }

    @Test
    void orderlyEndHasNoReason() throws Exception {
        queue.add(new RdmaCmEvent(EventType.RDMA_CM_EVENT_DISCONNECTED.ordinal(), null, behind));
        awaitEvent();
        assertThat(verbs.disconnectReason(id)).isNull();
    }

    private void awaitEvent() throws IOException {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        while (verbs.pollCmEvent(loop) == null) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("no event within " + Deadline.SECONDS + " s");
            }
            verbs.await(loop, Deadline.DURATION.toNanos());
        }
    }
}
