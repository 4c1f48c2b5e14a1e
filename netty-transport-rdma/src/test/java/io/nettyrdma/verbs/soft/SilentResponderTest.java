// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A responder that has not looked at what came first, as Linux's siw while it takes the socket over. */
final class SilentResponderTest {

    private static final int REQUEST_BYTES = 24;
    private static final int EMPTY_WRITE_BYTES = 20;

    private SocketChannel responder;
    private Runnable whenTheClockIsRead;
    private long passedNanos;

    private long nanoTime() {
        Runnable action = whenTheClockIsRead;
        if (action != null) {
            whenTheClockIsRead = null;
            action.run();
        }
        return System.nanoTime() + passedNanos;
    }

    private interface Body {
        void run(Node initiator, ByteBuffer first) throws IOException;
    }

    private void afterTheFirstAnnouncement(Body body) throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(Pair.loopback());
                Node initiator =
                        new Node(SoftProviderConfig.builder().sameHost(false).build(), 4096, this::nanoTime)) {
            RdmaCmId id = initiator.newId();
            initiator.newQp(id, 4);
            initiator.connect(id, (InetSocketAddress) listener.getLocalAddress(), Pair.DEFAULTS);
            responder = listener.accept();
            try (SocketChannel open = responder) {
                open.configureBlocking(false);
                read(REQUEST_BYTES, initiator);
                // Revision 2, enhanced, CRC; IRD and ORD 16.
                open.write(ByteBuffer.allocate(REQUEST_BYTES)
                        .put("MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII))
                        .putInt(0x50020004)
                        .putInt(0x00100010)
                        .flip());
                initiator.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
                ByteBuffer first = read(EMPTY_WRITE_BYTES, initiator);
                assertThat(first.getInt(0)).isEqualTo(0x000ec140); // 14 octets, tagged, last, RDMA Write
                assertThat(first.getInt(4)).as("STag").isOne();
                body.run(initiator, first);
            }
        }
    }

    @Test
    void initiatorAnnouncesItselfAgain() throws Exception {
        afterTheFirstAnnouncement((initiator, first) ->
                assertThat(read(EMPTY_WRITE_BYTES, initiator)).isEqualTo(first));
    }

    @Test
    void initiatorThatWasBusyReadsBeforeItAnnouncesItselfAgain() throws Exception {
        afterTheFirstAnnouncement((initiator, first) -> {
            whenTheClockIsRead = () -> {
                passedNanos = TimeUnit.MINUTES.toNanos(1);
                write(first);
            };
            for (int i = 0; i < 100; i++) {
                initiator.drive();
            }
            assertThat(passedNanos).as("the clock was not read").isPositive();
            assertThat(responder.read(ByteBuffer.allocate(1))).isZero();
        });
    }

    private void write(ByteBuffer bytes) {
        try {
            responder.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ByteBuffer read(int bytes, Node driven) {
        ByteBuffer b = ByteBuffer.allocate(bytes);
        driven.await(bytes + " octets", () -> {
            try {
                responder.read(b);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return !b.hasRemaining();
        });
        return b.flip();
    }
}
