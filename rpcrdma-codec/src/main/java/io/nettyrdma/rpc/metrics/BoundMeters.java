// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.observe.RpcRdmaContinuationReport;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport.Reaction;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.observe.RpcRdmaSummary.Procedure;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport.Kind;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The meters of one registry.
 *
 * <p>Threading: immutable.
 */
final class BoundMeters {

    private enum Direction {
        SENT,
        RECEIVED
    }

    /** Meters of one end for one direction. */
    private record Traffic(
            Counter inlineBytes,
            Counter errChunk,
            Counter errVers,
            Map<Rdma2ErrorCode, Counter> errors,
            Counter refreshes,
            Continued continued) {}

    /** Meters of one end for fragments in one direction. */
    private record Continued(Counter messages, Counter fragments, Counter bytes) {}

    private final Map<RpcRdmaRole, Map<CallOutcome, Timer>> calls = new EnumMap<>(RpcRdmaRole.class);
    private final Map<RpcRdmaRole, Map<Direction, Traffic>> traffic = new EnumMap<>(RpcRdmaRole.class);
    private final Map<RpcRdmaRole, Map<Kind, Counter>> chunkBytes = new EnumMap<>(RpcRdmaRole.class);
    private final Map<RpcRdmaRole, Counter> connections = new EnumMap<>(RpcRdmaRole.class);
    private final Map<RpcRdmaRole, Counter> unmatchedReplies = new EnumMap<>(RpcRdmaRole.class);
    private final Map<Kind, Timer> transfers = new EnumMap<>(Kind.class);
    private final Map<Reaction, Counter> rejections = new EnumMap<>(Reaction.class);
    private final Timer creditWait;
    private final Counter registrations;
    private final Counter reconnects;
    private final DistributionSummary grants;
    private final MeterRegistry registry;
    private final Iterable<Tag> tags;

    BoundMeters(MeterRegistry registry, Iterable<Tag> tags, RpcRdmaMetrics.Levels levels) {
        this.registry = registry;
        this.tags = tags;
        for (RpcRdmaRole role : RpcRdmaRole.values()) {
            addMetersOf(role, levels);
        }
        for (Kind kind : Kind.values()) {
            transfers.put(kind, timer("rpcrdma.chunk.transfers", "Transfers of chunks", "path", tag(kind)));
        }
        for (Reaction reaction : Reaction.values()) {
            rejections.put(
                    reaction, counter("rpcrdma.rejections", "Invalid messages received", "reaction", tag(reaction)));
        }
        creditWait = timer("rpcrdma.credit.wait", "Waits of calls for a credit");
        registrations = counter("rpcrdma.registrations", "Registrations of memory for chunks");
        reconnects = counter("rpcrdma.reconnects", "Connects of clients after their first");
        grants = DistributionSummary.builder("rpcrdma.credits.granted")
                .description("Credits in received replies")
                .tags(tags)
                .register(registry);
        gauge("rpcrdma.calls.waiting", "Calls that wait for a credit", levels.waiting());
        Gauge.builder("rpcrdma.memory.exposed", levels.exposedBytes(), LongAdder::sum)
                .description("Memory that peers can reach")
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
    }

    private void addMetersOf(RpcRdmaRole role, RpcRdmaMetrics.Levels levels) {
        Map<CallOutcome, Timer> callsOfRole = new EnumMap<>(CallOutcome.class);
        for (CallOutcome outcome : CallOutcome.values()) {
            callsOfRole.put(
                    outcome, timer("rpcrdma.calls", "Calls that ended", "role", tag(role), "outcome", tag(outcome)));
        }
        calls.put(role, callsOfRole);
        Map<Direction, Traffic> trafficOfRole = new EnumMap<>(Direction.class);
        for (Direction direction : Direction.values()) {
            trafficOfRole.put(
                    direction,
                    new Traffic(
                            bytes(role, direction, "inline"),
                            errors(role, direction, tag(Procedure.ERR_CHUNK)),
                            errors(role, direction, tag(Procedure.ERR_VERS)),
                            errorsOfVersion2(role, direction),
                            counter("rpcrdma.refreshes", "Credit refreshes", role, direction),
                            continued(role, direction)));
        }
        traffic.put(role, trafficOfRole);
        Map<Kind, Counter> bytesOfRole = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            boolean ofCalls = kind == Kind.READ || kind == Kind.POSITION_ZERO;
            boolean sent = ofCalls == (role == RpcRdmaRole.REQUESTER);
            bytesOfRole.put(kind, bytes(role, sent ? Direction.SENT : Direction.RECEIVED, tag(kind)));
        }
        chunkBytes.put(role, bytesOfRole);
        unmatchedReplies.put(
                role, counter("rpcrdma.replies.unmatched", "Replies that match no call", "role", tag(role)));
        connections.put(role, counter("rpcrdma.connections", "Connections opened", "role", tag(role)));
        gauge("rpcrdma.connections.active", "Connections open", known(levels.connections(), role), "role", tag(role));
        gauge("rpcrdma.calls.active", "Calls that have not ended", known(levels.calls(), role), "role", tag(role));
    }

    private void gauge(String name, String description, LongAdder value, String... own) {
        Gauge.builder(name, value, LongAdder::sum)
                .description(description)
                .tags(tags)
                .tags(own)
                .register(registry);
    }

    private Counter bytes(RpcRdmaRole role, Direction direction, String path) {
        return Counter.builder("rpcrdma.bytes")
                .description("Bytes of RPC messages")
                .baseUnit("bytes")
                .tags(tags)
                .tags("role", tag(role), "direction", tag(direction), "path", path)
                .register(registry);
    }

    private Counter errors(RpcRdmaRole role, Direction direction, String code) {
        return counter(
                "rpcrdma.errors", "Error messages", "role", tag(role), "direction", tag(direction), "code", code);
    }

    private Map<Rdma2ErrorCode, Counter> errorsOfVersion2(RpcRdmaRole role, Direction direction) {
        Map<Rdma2ErrorCode, Counter> errors = new EnumMap<>(Rdma2ErrorCode.class);
        for (Rdma2ErrorCode code : Rdma2ErrorCode.values()) {
            if (code != Rdma2ErrorCode.VERS) { // which is ERR_VERS
                errors.put(code, errors(role, direction, code.draftName().toLowerCase(Locale.ROOT)));
            }
        }
        return errors;
    }

    private Continued continued(RpcRdmaRole role, Direction direction) {
        Counter bytes = Counter.builder("rpcrdma.continued.bytes")
                .description("Bytes of messages in fragments")
                .baseUnit("bytes")
                .tags(tags)
                .tags("role", tag(role), "direction", tag(direction))
                .register(registry);
        return new Continued(
                counter("rpcrdma.continued.messages", "Messages in fragments", role, direction),
                counter("rpcrdma.continued.fragments", "Fragments of messages", role, direction),
                bytes);
    }

    private Counter counter(String name, String description, RpcRdmaRole role, Direction direction) {
        return counter(name, description, "role", tag(role), "direction", tag(direction));
    }

    private Counter counter(String name, String description, String... own) {
        return Counter.builder(name)
                .description(description)
                .tags(tags)
                .tags(own)
                .register(registry);
    }

    private Timer timer(String name, String description, String... own) {
        return Timer.builder(name).description(description).tags(tags).tags(own).register(registry);
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    void onSent(RpcRdmaSummary message) {
        count(message, Direction.SENT);
    }

    void onReceived(RpcRdmaSummary message) {
        count(message, Direction.RECEIVED);
        if (message.role() == RpcRdmaRole.REQUESTER && message.credits() > 0) {
            grants.record(message.credits());
        }
    }

    private void count(RpcRdmaSummary message, Direction direction) {
        Traffic ofMessage = traffic(message.role(), direction);
        switch (message.procedure()) {
            case ERR_CHUNK -> ofMessage.errChunk().increment();
            case ERR_VERS -> ofMessage.errVers().increment();
            case RDMA2_ERROR ->
                known(ofMessage.errors(), Objects.requireNonNull(message.error()))
                        .increment();
            case RDMA_MSG, RDMA_NOMSG -> ofMessage.inlineBytes().increment(message.payloadBytes());
        }
    }

    private Traffic traffic(RpcRdmaRole role, Direction direction) {
        return known(known(traffic, role), direction);
    }

    void onRefreshed(RpcRdmaRole role, boolean sent) {
        traffic(role, sent ? Direction.SENT : Direction.RECEIVED).refreshes().increment();
    }

    void onContinued(RpcRdmaContinuationReport message) {
        Direction direction = message.isSent() ? Direction.SENT : Direction.RECEIVED;
        Continued continued = traffic(message.role(), direction).continued();
        continued.messages().increment();
        continued.fragments().increment(message.fragments());
        continued.bytes().increment(message.payloadBytes());
    }

    void onTransferred(RpcRdmaTransferReport transfer) {
        known(known(chunkBytes, transfer.role()), transfer.kind()).increment(transfer.bytes());
        if (transfer.role() == RpcRdmaRole.RESPONDER) {
            known(transfers, transfer.kind()).record(transfer.durationNanos(), TimeUnit.NANOSECONDS);
        }
    }

    Timer calls(RpcRdmaRole role, CallOutcome outcome) {
        return known(known(calls, role), outcome);
    }

    Counter connections(RpcRdmaRole role) {
        return known(connections, role);
    }

    Counter unmatchedReplies(RpcRdmaRole role) {
        return known(unmatchedReplies, role);
    }

    Counter rejections(Reaction reaction) {
        return known(rejections, reaction);
    }

    Timer creditWait() {
        return creditWait;
    }

    Counter reconnects() {
        return reconnects;
    }

    Counter registrations() {
        return registrations;
    }

    /** Returns the value of a key; every key has one. */
    static <K extends Enum<K>, V> V known(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }
}
