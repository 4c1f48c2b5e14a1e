// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.soft.TestTimeouts;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fault at every octet of the two MPA frames that carry the private data of RPC-over-RDMA. Connecting fails, or both
 * sides take what the octets say; it does not outlast its time limit, leaves nothing open, and the listener is there
 * for the next client. Time is the test's.
 */
@Over
@ExtendWith(NoVerbsLeft.class)
final class HandshakeFaultsTest {

    private static final int INLINE_BYTES = 4096;
    private static final CmPrivateData OWN = new CmPrivateData(true, INLINE_BYTES, INLINE_BYTES);
    private static final int MAX_READS = 128;

    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(5);
    private static final Duration REPLY_LIMIT = Duration.ofSeconds(10);
    private static final Duration FPDU_LIMIT = Duration.ofSeconds(7);
    private static final Duration ALL_LIMITS = Duration.ofSeconds(20);

    private final ClockedProvider clock = new ClockedProvider(LoopsOver.config(TestTimeouts.startup(
            TestTimeouts.partialFpdu(SoftProviderConfig.builder().maxReadsInFlight(MAX_READS), FPDU_LIMIT),
            REQUEST_LIMIT,
            REPLY_LIMIT)));

    private FaultedCalls calls;
    private FaultRelay relay;
    private byte[] request;
    private byte[] reply;

    @BeforeEach
    void learnTheFrames() throws Exception {
        calls = new FaultedCalls(clock, INLINE_BYTES);
        relay = new FaultRelay(calls.address(), FaultPlan.none(), FaultPlan.none()).start();
        relay.next(FaultPlan.none().recorded(), FaultPlan.none().recorded());
        Endings whole = calls.beginInTurn(Kind.READ_AND_REPLY_CHUNK, relay.address());
        whole.await();
        request = frame(relay.forthRecord(), false);
        reply = frame(relay.backRecord(), true);
        calls.end(List.of(whole));
        nothingIsOpen();
    }

    private static byte[] frame(byte[] record, boolean isReply) throws Exception {
        byte[] frame = Arrays.copyOf(record, MpaFrame.bytes(ByteBuffer.wrap(record), 0, record.length, isReply));
        assertThat(frame).as("private data comes last").endsWith(OWN.encode());
        return frame;
    }

    @AfterEach
    void nextClientIsServed() throws Exception {
        try {
            Endings next = calls.begin(Kind.READ_AND_REPLY_CHUNK, calls.address());
            next.await();
            assertThat(next.answered.values()).containsOnly(true);
            calls.end(List.of(next));
        } finally {
            relay.close();
            calls.close();
        }
    }

    /** What the faulted connections had, on either side, is gone; their pooled memory may serve the next. */
    private void nothingIsOpen() {
        Poll.until(this::stillOpen, this::onlyTheBystanderIsOpen);
        calls.checkMemory();
    }

    /** As {@link #nothingIsOpen}, however late the responder hears of a connection and awaits its request. */
    private void nothingIsOpenInTime() throws Exception {
        calls.passUntil(this::stillOpen, ALL_LIMITS, this::onlyTheBystanderIsOpen);
        calls.checkMemory();
    }

    private String stillOpen() {
        return "the end of everything: " + clock.provider().openResources();
    }

    private boolean onlyTheBystanderIsOpen() {
        OpenResources now = clock.provider().openResources();
        return now.ids() == 2 + 1 // the bystander's two and the listener's
                && now.queuePairs() == 2
                && now.connections() == 2;
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void frameThatIsCutFailsTheConnectAtOnce(Fault cut) throws Exception {
        List<Endings> runs = begin(cut);
        for (Endings run : runs) {
            run.await();
            assertThat(run.connected.cause()).as(run.what).isInstanceOf(IOException.class);
        }
        nothingIsOpen();
        calls.end(runs);
    }

    @Test
    void frameThatStopsFailsTheConnectWhenItsTimeIsUp() throws Exception {
        List<Endings> runs = begin(Fault.STALL);
        Poll.until("silence", () -> relay.heldConnections() == runs.size());
        calls.pass(REQUEST_LIMIT.minusMillis(1));
        assertThat(runs).noneMatch(run -> run.connected.isDone());

        calls.pass(REPLY_LIMIT.minus(REQUEST_LIMIT).plusMillis(1));
        for (Endings run : runs) {
            run.await();
            assertThat(run.connected.cause()).as(run.what).isInstanceOf(IOException.class);
        }
        calls.pass(ALL_LIMITS);
        nothingIsOpen();
        calls.end(runs);
    }

    @Test
    void frameThatStopsFailsTheConnectWhenTheChannelGivesUp() throws Exception {
        calls.connectTimeoutMillis = 20;
        List<Endings> runs = begin(Fault.STALL);
        for (Endings run : runs) {
            run.await();
            assertThat(run.connected.cause()).as(run.what).isInstanceOf(ConnectTimeoutException.class);
        }
        calls.connectTimeoutMillis = Deadline.MILLIS;
        nothingIsOpenInTime();
        calls.end(runs);
    }

    /** A connect for every octet of both frames. */
    private List<Endings> begin(Fault fault) {
        return IntStream.range(0, request.length + reply.length)
                .mapToObj(octet -> begin(octet, fault::at))
                .toList();
    }

    private Endings begin(int octet, LongFunction<FaultPlan> fault) {
        boolean forth = octet < request.length;
        FaultPlan plan = fault.apply(forth ? octet : octet - request.length);
        relay.next(forth ? plan : FaultPlan.none(), forth ? FaultPlan.none() : plan);
        Endings run = calls.beginInTurn(Kind.READ_AND_REPLY_CHUNK, relay.address());
        run.what = (forth ? "request: " : "reply: ") + plan;
        return run;
    }

    /** What has to come of a changed frame. */
    private enum Outcome {
        REFUSED,
        /** The frame claims to be longer than it is. */
        TIMED_OUT,
        CONNECTED,
        /** Part of the frame is taken for the stream. */
        CONNECTED_AND_LOST
    }

    @ParameterizedTest
    @ValueSource(ints = {0xff, 0x04, 0x10})
    @Requirement({"PD-017", "PD-022"})
    void frameThatIsChangedIsRefusedOrTakenForWhatItSays(int mask) throws Exception {
        for (int octet = 0; octet < request.length + reply.length; octet++) {
            boolean forth = octet < request.length;
            byte[] changed = (forth ? request : reply).clone();
            changed[forth ? octet : octet - request.length] ^= (byte) mask;
            Endings run = begin(octet, at -> FaultPlan.none().corruptAt(at, mask));
            expect(run, octet + 2, outcome(changed, !forth), forth, privateData(changed));
            calls.end(List.of(run));
        }
        nothingIsOpenInTime();
    }

    private void expect(Endings run, int connections, Outcome outcome, boolean forth, CmPrivateData said)
            throws Exception {
        if (outcome == Outcome.TIMED_OUT) {
            Poll.until("the frame: " + run.what, () -> relay.connections() == connections && hasPassed(forth));
            calls.pass((forth ? REQUEST_LIMIT : REPLY_LIMIT).minusMillis(1)); // and has been seen
            assertThat(run.connected.isDone()).as(run.what).isFalse();
            calls.pass(forth ? REQUEST_LIMIT : REPLY_LIMIT);
        }
        assertThat(run.connected.await(Deadline.MILLIS))
                .as("connect ends: %s", run.what)
                .isTrue();
        boolean connected = outcome == Outcome.CONNECTED || outcome == Outcome.CONNECTED_AND_LOST;
        assertThat(run.connected.isSuccess()).as(run.what).isEqualTo(connected);
        if (outcome == Outcome.CONNECTED_AND_LOST) {
            calls.pass(FPDU_LIMIT); // what is behind the claimed end of the frame begins one that never ends
            calls.pass(FPDU_LIMIT);
        }
        run.await();
        assertThat(run.answered.values()).as(run.what).contains(outcome == Outcome.CONNECTED);
        if (connected) {
            CmPrivateData forRequester = forth ? OWN : said;
            CmPrivateData forResponder = forth ? said : OWN;
            Channel accepted = calls.accepted.element();
            check(run, Objects.requireNonNull(run.channel), forRequester, InlineThresholds.between(OWN, forRequester));
            check(run, accepted, forResponder, InlineThresholds.between(forResponder, OWN));
        }
    }

    /** Whether the whole frame has come out of the relay. */
    private boolean hasPassed(boolean forth) {
        return forth ? relay.latestForthOctets() >= request.length : relay.latestBackOctets() >= reply.length;
    }

    private static void check(Endings run, Channel channel, CmPrivateData peer, InlineThresholds thresholds) {
        RpcRdmaParametersEvent parameters =
                channel.attr(CountingService.PARAMETERS).get();
        assertThat(parameters.peer()).as(run.what).isEqualTo(peer);
        assertThat(parameters.thresholds()).as(run.what).isEqualTo(thresholds);
        assertThat(parameters.remoteInvalidation()).as(run.what).isEqualTo(peer.remoteInvalidation());
    }

    /** RFC 5044, section 7.1.1, and RFC 6581, section 9.1, for the frames of this provider. */
    private Outcome outcome(byte[] frame, boolean isReply) {
        byte[] right = isReply ? reply : request;
        int flags = frame[16];
        int length = ByteBuffer.wrap(frame).getShort(18);
        boolean isKey = Arrays.equals(frame, 0, 16, right, 0, 16);
        boolean wantsMarkers = (flags & 0x80) != 0;
        boolean rejects = isReply && (flags & 0x20) != 0;
        if (!isKey || wantsMarkers || rejects || frame[17] != 2 || length < 0 || length > 512) {
            return Outcome.REFUSED;
        }
        if (length != frame.length - 20) {
            boolean isLonger = length > frame.length - 20;
            return isLonger ? Outcome.TIMED_OUT : isReply ? Outcome.CONNECTED_AND_LOST : Outcome.REFUSED;
        }
        boolean isEnhanced = (flags & 0x10) != 0;
        int reads = ByteBuffer.wrap(frame).getShort(22) & 0x3fff;
        boolean hasTooManyReads = isReply && isEnhanced && reads > MAX_READS && reads != 0x3fff;
        return hasTooManyReads ? Outcome.REFUSED : Outcome.CONNECTED;
    }

    /** Whatever stands in front of it, the message is found. */
    private static CmPrivateData privateData(byte[] frame) {
        int length = ByteBuffer.wrap(frame).getShort(18);
        return CmPrivateData.findOrDefaults(
                Arrays.copyOfRange(frame, 20, 20 + Math.max(0, Math.min(length, frame.length - 20))));
    }
}
