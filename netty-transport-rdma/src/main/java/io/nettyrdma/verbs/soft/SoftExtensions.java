// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.channels.Selector;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * {@link VerbsExtensions} of the software provider: all of it, without fall-backs.
 *
 * <p>Threading: as documented there.
 */
final class SoftExtensions implements VerbsExtensions {

    private final SoftDevice device;
    private final RdmaCapabilities capabilities;
    /** Made late, because DiSNI's objects can only be made once a provider is installed; guarded by this. */
    private @Nullable SoftContext context;

    SoftExtensions(SoftDevice device) {
        this.device = device;
        capabilities = RdmaCapabilities.builder()
                .sendInvalidate(true)
                .remoteInvalidation(true)
                .cheapRegistration(true)
                .waitsForReceives(true)
                .receiverNotReadyTimeoutMillis(device.config.receiverNotReadyTimeoutMillis())
                .privateData(PrivateDataLimits.of(VerbsConstants.MAX_PRIVATE_DATA_BYTES))
                .maxReadsInFlight(device.config.maxReadsInFlight())
                .maxQueueDepth(SoftDevice.MAX_QUEUE_DEPTH)
                .maxCompletions(SoftVerbs.MAX_CQ_ENTRIES)
                .build();
    }

    @Override
    public RdmaCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public RdmaEventChannel openConfinedEventChannel() throws IOException {
        return new SoftEventChannel(context());
    }

    // Event loops open their event channels in threads of their own.
    private synchronized SoftContext context() throws IOException {
        SoftContext present = context;
        if (present == null) {
            present = new SoftContext(device);
            context = present;
        }
        return present;
    }

    @Override
    public void closeEventChannel(RdmaEventChannel channel) throws IOException {
        events(channel).lingerAndDestroy();
    }

    @Override
    public void attach(RdmaEventChannel events, IbvCQ completions) throws IOException {
        events(events).attach(SoftVerbs.cast(SoftCq.class, completions));
    }

    @Override
    public void checkAttached(RdmaEventChannel events, IbvCQ completions) {
        // The event channel itself looks at the queue.
    }

    @Override
    public void detach(RdmaEventChannel events, IbvCQ completions) throws IOException {
        events(events).detach(SoftVerbs.cast(SoftCq.class, completions));
    }

    @Override
    public CompletionPoller poller(IbvCQ completions) throws IOException {
        return SoftVerbs.cast(SoftCq.class, completions);
    }

    @Override
    public @Nullable RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException {
        return events(channel).cmEvents().poll();
    }

    @Override
    public boolean progress(RdmaEventChannel channel) throws IOException {
        return events(channel).progress();
    }

    @Override
    public void await(RdmaEventChannel channel, long timeoutNanos) throws IOException {
        events(channel).await(timeoutNanos);
    }

    @Override
    public void wakeup(RdmaEventChannel channel) {
        ((SoftEventChannel) channel).wakeup();
    }

    @Override
    public int sharedConnections(RdmaEventChannel channel) {
        return ((SoftEventChannel) channel).sharedConnections();
    }

    @Override
    public Selector selector(RdmaEventChannel channel) {
        return ((SoftEventChannel) channel).selector();
    }

    private static SoftEventChannel events(RdmaEventChannel channel) throws IOException {
        return SoftVerbs.cast(SoftEventChannel.class, channel);
    }

    @Override
    public void postBatch(IbvQP queuePair, WorkRequestBatch requests) throws IOException {
        SoftVerbs.cast(SoftQp.class, queuePair).postSends(requests);
    }

    @Override
    public void postReceives(IbvQP queuePair, WorkRequestBatch requests) throws IOException {
        SoftVerbs.cast(SoftQp.class, queuePair).postReceives(requests);
    }

    @Override
    public @Nullable ConnectionParameters peerParameters(RdmaCmEvent event) {
        try {
            return SoftCm.peerParameters(event);
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public void reject(RdmaCmId id, byte[] privateData) throws IOException {
        SoftCm.reject(id, privateData);
    }

    @Override
    public void toError(IbvQP qp) throws IOException {
        SoftVerbs.cast(SoftQp.class, qp).toError("queue pair brought to error by this side");
    }

    @Override
    public <T> boolean setSocketOption(RdmaCmId id, SocketOption<T> option, T value) {
        ((SoftCmId) id).setSocketOption(option, value);
        return true;
    }

    @Override
    public void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException {
        SoftCm.migrate(id, events(target));
    }

    @Override
    public long movedOctets(IbvQP queuePair) {
        return queuePair instanceof SoftQp qp ? qp.movedOctets() : 0;
    }

    @Override
    public int writtenBytes(IbvMr region) {
        return region instanceof SoftMr memory ? memory.region().writtenBytes() : -1;
    }

    @Override
    public Executor callExecutor() {
        return Runnable::run; // nothing here waits
    }

    @Override
    public Executor connectExecutor() {
        return Runnable::run;
    }

    @Override
    public @Nullable InetSocketAddress localAddress(RdmaCmId id) {
        return ((SoftCmId) id).source();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress(RdmaCmId id) {
        return ((SoftCmId) id).destination();
    }

    @Override
    public @Nullable String disconnectReason(RdmaCmId id) {
        return ((SoftCmId) id).reason();
    }

    @Override
    public boolean knowsReasons() {
        return true;
    }
}
