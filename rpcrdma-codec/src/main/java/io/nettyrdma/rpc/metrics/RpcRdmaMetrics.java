// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.channel.Channel;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.observe.RpcRdmaContinuationReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Measures all connections whose configuration has this listener. One instance serves any number of connections of
 * either role, and any number of registries.
 *
 * <pre>{@code
 * RpcRdmaMetrics metrics = new RpcRdmaMetrics();
 * metrics.bindTo(registry);
 * RpcRdmaConfig config = RpcRdmaConfig.builder().listener(metrics).build();
 * }</pre>
 *
 * <table>
 * <caption>The meters; {@link #RpcRdmaMetrics(Iterable)} adds tags</caption>
 * <tr><th>name<th>type<th>tags<th>what
 * <tr><td>{@code rpcrdma.calls}<td>timer<td>{@code role}, {@code outcome}<td>ended calls and their duration: {@link
 *     RpcRdmaCallReport}
 * <tr><td>{@code rpcrdma.calls.active}<td>gauge<td>{@code role}<td>calls that have begun and not ended; those that
 *     wait for a credit are among them
 * <tr><td>{@code rpcrdma.calls.waiting}<td>gauge<td><td>a requester's calls that wait for a credit
 * <tr><td>{@code rpcrdma.credits.granted}<td>summary<td><td>the credits in each message that a requester receives
 * <tr><td>{@code rpcrdma.reconnects}<td>counter<td><td>connects of an {@link io.nettyrdma.rpc.RpcRdmaClient} after its
 *     first
 * <tr><td>{@code rpcrdma.bytes}<td>counter, bytes<td>{@code role}, {@code direction}, {@code path}<td>bytes of RPC
 *     messages: {@code inline}, {@code read}, {@code position_zero}, {@code write}, {@code reply}, without headers of
 *     RPC-over-RDMA
 * <tr><td>{@code rpcrdma.chunk.transfers}<td>timer<td>{@code path}<td>a responder's transfers, each of all chunks of
 *     one kind of a call: {@link RpcRdmaTransferReport}
 * <tr><td>{@code rpcrdma.credit.wait}<td>timer<td><td>a requester's calls that waited for a credit before they were
 *     sent
 * <tr><td>{@code rpcrdma.registrations}<td>counter<td><td>a requester's registrations of memory for chunks
 * <tr><td>{@code rpcrdma.memory.exposed}<td>gauge, bytes<td><td>registered memory that peers can access now
 * <tr><td>{@code rpcrdma.errors}<td>counter<td>{@code role}, {@code direction}, {@code code}<td>error messages:
 *     {@code err_chunk}, {@code err_vers}; of version 2 by their names in the draft, such as {@code
 *     rdma2_err_segments}
 * <tr><td>{@code rpcrdma.refreshes}<td>counter<td>{@code role}, {@code direction}<td>credit refreshes of version 2
 * <tr><td>{@code rpcrdma.continued.messages}<td>counter<td>{@code role}, {@code direction}<td>messages of version 2 in
 *     fragments: {@link RpcRdmaContinuationReport}; a requester sends calls and receives replies
 * <tr><td>{@code rpcrdma.continued.fragments}<td>counter<td>{@code role}, {@code direction}<td>their fragments
 * <tr><td>{@code rpcrdma.continued.bytes}<td>counter, bytes<td>{@code role}, {@code direction}<td>their bytes, which
 *     {@code rpcrdma.bytes} also counts as {@code inline}
 * <tr><td>{@code rpcrdma.rejections}<td>counter<td>{@code reaction}<td>invalid received messages: {@code discard},
 *     {@code err_chunk}, {@code err_vers}, {@code rdma2_error}
 * <tr><td>{@code rpcrdma.replies.unmatched}<td>counter<td>{@code role}<td>replies that match no call, received by a
 *     requester or written to a responder
 * <tr><td>{@code rpcrdma.connections}<td>counter<td>{@code role}<td>opened connections
 * <tr><td>{@code rpcrdma.connections.active}<td>gauge<td>{@code role}<td>connections that have not ended
 * </table>
 *
 * <p>The tag {@code role} is {@code requester} or {@code responder}, {@code direction} is {@code sent} or {@code
 * received}, {@code outcome} is {@code replied}, {@code err_chunk}, {@code err_vers}, {@code bad_reply}, {@code
 * rdma2_error}, {@code timed_out}, {@code cancelled}, {@code connection_lost}, {@code refused} or {@code failed}. A
 * call that {@link io.nettyrdma.rpc.RpcRdmaClient} sends again on another connection counts once per connection.
 *
 * <p>{@link #bindTo} creates all meters of a registry; calls need no lookup.
 *
 * <p>Threading: any.
 */
@SuppressWarnings("exports") // only modules that use this class need Micrometer, and require it themselves
public final class RpcRdmaMetrics implements RpcRdmaListener, MeterBinder {

    private final Iterable<Tag> tags;
    private final List<BoundMeters> bound = new CopyOnWriteArrayList<>();
    private final Levels levels = new Levels(new LongAdder(), new LongAdder(), ofRoles(), ofRoles());

    /** Creates meters without additional tags. */
    public RpcRdmaMetrics() {
        this(Tags.empty());
    }

    /** Creates meters with additional tags, such as the name of a server. */
    public RpcRdmaMetrics(Iterable<Tag> tags) {
        this.tags = tags;
    }

    private static Map<RpcRdmaRole, LongAdder> ofRoles() {
        Map<RpcRdmaRole, LongAdder> levels = new EnumMap<>(RpcRdmaRole.class);
        for (RpcRdmaRole role : RpcRdmaRole.values()) {
            levels.put(role, new LongAdder());
        }
        return levels;
    }

    /** Creates the meters. Counters and timers miss earlier events; gauges include them. */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(new BoundMeters(registry, tags, levels));
    }

    private void count(Consumer<BoundMeters> event) {
        bound.forEach(event);
    }

    /** What gauges show: levels that are counted whether or not there is a registry. */
    record Levels(
            LongAdder exposedBytes,
            LongAdder waiting,
            Map<RpcRdmaRole, LongAdder> connections,
            Map<RpcRdmaRole, LongAdder> calls) {}

    private LongAdder active(RpcRdmaRole role) {
        return BoundMeters.known(levels.connections(), role);
    }

    @Override
    public void onCallBegun(Channel channel, RpcRdmaRole role, int xid) {
        BoundMeters.known(levels.calls(), role).increment();
    }

    @Override
    public void onCreditWait(Channel channel, int xid, boolean waits) {
        levels.waiting().add(waits ? 1 : -1);
    }

    @Override
    public void onReconnecting(Channel channel) {
        count(meters -> meters.reconnects().increment());
    }

    @Override
    public void onConnectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {
        active(role).increment();
        count(meters -> meters.connections(role).increment());
    }

    @Override
    public void onConnectionClosed(
            Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long lifetimeNanos) {
        active(role).decrement();
    }

    @Override
    public void onSent(Channel channel, RpcRdmaSummary message) {
        count(meters -> meters.onSent(message));
    }

    @Override
    public void onReceived(Channel channel, RpcRdmaSummary message) {
        count(meters -> meters.onReceived(message));
    }

    @Override
    public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
        count(meters -> meters.rejections(rejection.reaction()).increment());
    }

    @Override
    public void onRefreshSent(Channel channel, RpcRdmaRole role, int credits) {
        count(meters -> meters.onRefreshed(role, true));
    }

    @Override
    public void onRefreshReceived(Channel channel, RpcRdmaRole role, int credits) {
        count(meters -> meters.onRefreshed(role, false));
    }

    @Override
    public void onContinued(Channel channel, RpcRdmaContinuationReport message) {
        count(meters -> meters.onContinued(message));
    }

    @Override
    public void onReplyUnmatched(Channel channel, RpcRdmaRole role, int xid) {
        count(meters -> meters.unmatchedReplies(role).increment());
    }

    @Override
    public void onCreditAwaited(Channel channel, int xid, long waitedNanos) {
        count(meters -> meters.creditWait().record(waitedNanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
        count(meters -> meters.onTransferred(transfer));
    }

    @Override
    public void onMemoryExposed(Channel channel, int registrations, long bytes) {
        levels.exposedBytes().add(bytes);
        count(meters -> meters.registrations().increment(registrations));
    }

    @Override
    public void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {
        levels.exposedBytes().add(-bytes);
    }

    @Override
    public void onCallEnded(Channel channel, RpcRdmaCallReport call) {
        BoundMeters.known(levels.calls(), call.role()).decrement();
        count(meters -> meters.calls(call.role(), call.outcome()).record(call.durationNanos(), TimeUnit.NANOSECONDS));
    }
}
