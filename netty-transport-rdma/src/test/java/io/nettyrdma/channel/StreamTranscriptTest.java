// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.stream.CapturedStream;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A short byte stream as it is on the wire, beside a text that a reader can follow: each message of both sides, decoded
 * from the recorded octets. Addresses and keys, which differ from run to run, are left out; {@link CapturedStream}
 * checks them. When a change of the protocol is wanted, the failure shows the new text of {@code stream-echo.txt}.
 */
@ExtendWith(LeavesNothingOpen.class)
class StreamTranscriptTest {

    private static final String FILE = "/captures/stream-echo.txt";

    private final Inbox client = new Inbox();
    private final List<String> transcript = new ArrayList<>();
    private int forthLines;
    private int backLines;

    @Test
    void echoLooksOnTheWireAsItsTranscriptSays() throws Exception {
        TestProvider.SOFT.assumeAllOverTcp();
        try (StreamPair pair = new StreamPair(TestProvider.SOFT, Echo::new, () -> client).listen();
                FaultRelay relay = recording(pair).start()) {
            RdmaSocketChannel channel =
                    (RdmaSocketChannel) ChannelPair.await(pair.clientBootstrap.connect(relay.address()), "connect")
                            .channel();
            RdmaSocketChannel accepted = pair.accepted();
            ChannelPair.until(accepted::isActive, "the accepted stream is active");
            add("connect", relay);

            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("hello")), "write");
            assertThat(client.nextText()).isEqualTo("hello");
            add("write of hello, and its echo", relay);

            ChannelPair.await(channel.shutdownOutput(), "end of the output");
            ChannelPair.await(accepted.closeFuture(), "close of the accepted stream");
            ChannelPair.await(channel.closeFuture(), "close");
            ChannelPair.until(relay::isIdle, "end of the connection");
            add("end of the output, at which the acceptor closes", relay);
        }
        assertThat(transcript).isEqualTo(expected());
    }

    private static FaultRelay recording(StreamPair pair) throws IOException {
        FaultPlan recorded = FaultPlan.none().recorded();
        return new FaultRelay(pair.address(), recorded, recorded);
    }

    /**
     * Adds what is new when the sides have published their second buffer and sent a limit: the initiator at once, the
     * acceptor when it has received something.
     */
    private void add(String step, FaultRelay relay) throws Exception {
        CapturedStream stream = sent(relay);
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        while (!isReady(stream.forth()) || !transcript.isEmpty() && !isReady(stream.back())) {
            assertThat(System.nanoTime() - end).as("%s: %s", step, stream).isNegative();
            Thread.yield();
            stream = sent(relay);
        }
        transcript.add(step);
        forthLines = add("  initiator  ", stream.forth(), forthLines);
        backLines = add("  acceptor   ", stream.back(), backLines);
    }

    private static boolean isReady(CapturedStream.Direction direction) {
        return direction.publishedBuffers() >= 2 && direction.limitWords() >= 1;
    }

    private int add(String side, CapturedStream.Direction direction, int known) {
        List<String> lines = direction.transcript();
        lines.subList(known, lines.size()).forEach(line -> transcript.add(side + line));
        return lines.size();
    }

    /** What both sides have sent at one moment; the one direction is judged by what is in the other. */
    private static CapturedStream sent(FaultRelay relay) throws Exception {
        byte[] forth;
        byte[] back;
        do {
            forth = relay.forthRecord();
            back = relay.backRecord();
        } while (forth.length != relay.forthRecord().length);
        return CapturedStream.of(forth, back);
    }

    private static List<String> expected() throws IOException {
        try (InputStream in = StreamTranscriptTest.class.getResourceAsStream(FILE)) {
            assertThat(in).as(FILE).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
