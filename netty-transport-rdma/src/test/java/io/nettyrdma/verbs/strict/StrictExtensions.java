// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.internal.CallThreads;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * {@link VerbsExtensions} of a {@link StrictDevice}.
 *
 * <p>Threading: as documented there; nothing here has state.
 */
final class StrictExtensions implements VerbsExtensions {

    private final StrictDevice device;
    private final VerbsExtensions kind;
    private final RdmaCapabilities capabilities;

    StrictExtensions(StrictDevice device, VerbsExtensions kind) {
        this.device = device;
        this.kind = kind;
        Map<String, Object> changed = new HashMap<>();
        if (device.has(Trait.PRIVATE_DATA_PADDED)) {
            changed.put(
                    "privateData",
                    new PrivateDataLimits(
                            StrictCmEvent.CONNECT_BYTES, StrictCmEvent.ACCEPT_BYTES, StrictCmEvent.REJECT_BYTES));
        }
        if (device.has(Trait.RECEIVES_REQUIRED) || device.has(Trait.RECEIVES_AWAITED_BRIEFLY)) {
            changed.put("waitsForReceives", false);
            changed.put("receiverNotReadyTimeoutMillis", 0);
        }
        capabilities = ChangedCapabilities.of(kind.capabilities(), changed);
    }

    @Override
    public RdmaCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public RdmaEventChannel openConfinedEventChannel() throws IOException {
        return device.calls()
                .make(Verb.OPEN_EVENT_CHANNEL, () -> new StrictEventChannel(device, kind.openConfinedEventChannel()));
    }

    @Override
    public void closeEventChannel(RdmaEventChannel channel) throws IOException {
        device.calls().run(Verb.CLOSE_EVENT_CHANNEL, () -> events(channel).closeBelow());
    }

    private static StrictEventChannel events(RdmaEventChannel channel) {
        return (StrictEventChannel) channel;
    }

    @Override
    public void attach(RdmaEventChannel events, IbvCQ completions) throws IOException {
        device.calls().run(Verb.ATTACH, () -> {
            StrictCq queue = (StrictCq) completions;
            kind.attach(events(events).kind(), queue.kind());
            events(events).attach(queue);
        });
    }

    @Override
    public void checkAttached(RdmaEventChannel events, IbvCQ completions) throws IOException {
        device.calls()
                .run(
                        Verb.CHECK_ATTACHED,
                        () -> kind.checkAttached(events(events).kind(), ((StrictCq) completions).kind()));
    }

    @Override
    public void detach(RdmaEventChannel events, IbvCQ completions) throws IOException {
        device.calls().run(Verb.DETACH, () -> {
            StrictCq queue = (StrictCq) completions;
            kind.detach(events(events).kind(), queue.kind());
            events(events).detach(queue);
        });
    }

    @Override
    public @Nullable RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException {
        return device.calls().make(Verb.POLL_EVENT, () -> events(channel).poll());
    }

    @Override
    public boolean progress(RdmaEventChannel channel) throws IOException {
        return device.calls().make(Verb.PROGRESS, () -> events(channel).progress());
    }

    @Override
    public void await(RdmaEventChannel channel, long timeoutNanos) throws IOException {
        device.calls().run(Verb.AWAIT, () -> events(channel).await(timeoutNanos));
    }

    @Override
    public void wakeup(RdmaEventChannel channel) {
        events(channel).wakeup();
    }

    @Override
    public void postBatch(IbvQP qp, WorkRequestBatch requests) throws IOException {
        StrictQp strict = (StrictQp) qp;
        strict.id().run(Verb.POST_SENDS, () -> strict.postSends(requests));
    }

    @Override
    public void postReceives(IbvQP qp, WorkRequestBatch requests) throws IOException {
        StrictQp strict = (StrictQp) qp;
        strict.id().run(Verb.POST_RECEIVES, () -> strict.postReceives(requests));
    }

    @Override
    public @Nullable ConnectionParameters peerParameters(RdmaCmEvent event) {
        return ((StrictCmEvent) event).parameters();
    }

    @Override
    public void reject(RdmaCmId id, byte[] privateData) throws IOException {
        StrictCmId strict = (StrictCmId) id;
        strict.run(Verb.REJECT, () -> kind.reject(strict.kind(), privateData));
    }

    @Override
    public void toError(IbvQP qp) throws IOException {
        StrictQp strict = (StrictQp) qp;
        strict.id().run(Verb.MOVE_TO_ERROR, () -> {
            strict.id().movedToError();
            kind.toError(strict.kind());
        });
    }

    @Override
    public void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException {
        device.calls().make(Verb.MIGRATE, () -> {
            StrictCmId strict = (StrictCmId) id;
            if (device.has(Trait.NO_MIGRATION) && id.getCmChannel() != target) {
                throw new IOException("this device cannot move a connection to another event loop: use one event loop"
                        + " for parent and children");
            }
            return events(target).locked(() -> {
                kind.migrateId(strict.kind(), events(target).kind());
                events(target).takeOver(strict);
                return null;
            });
        });
    }

    @Override
    public boolean isFlushed(IbvQP qp, int status) {
        return kind.isFlushed(((StrictQp) qp).kind(), status)
                || device.has(Trait.STATUS_IWARP) && status == IbvWcStatus.IBV_WC_LOC_QP_OP_ERR.ordinal();
    }

    @Override
    public long movedOctets(IbvQP qp) {
        return kind.movedOctets(((StrictQp) qp).kind());
    }

    @Override
    public Executor callExecutor() {
        return device.has(Trait.CALLS_HOLD) ? CallThreads.ENDS : kind.callExecutor();
    }

    @Override
    public Executor connectExecutor() {
        return device.has(Trait.CALLS_HOLD) ? CallThreads.CONNECTS : kind.connectExecutor();
    }

    @Override
    public @Nullable InetSocketAddress localAddress(RdmaCmId id) {
        return kind.localAddress(((StrictCmId) id).kind());
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress(RdmaCmId id) {
        return kind.remoteAddress(((StrictCmId) id).kind());
    }

    @Override
    public @Nullable String disconnectReason(RdmaCmId id) {
        return device.has(Trait.NO_REASONS) ? null : kind.disconnectReason(((StrictCmId) id).kind());
    }

    @Override
    public boolean knowsReasons() {
        return !device.has(Trait.NO_REASONS) && kind.knowsReasons();
    }
}
