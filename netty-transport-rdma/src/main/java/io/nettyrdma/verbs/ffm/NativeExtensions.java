// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.internal.CallThreads;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.MemoryWindow;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What channels need beyond DiSNI's API, of libibverbs and librdmacm. Threading: as {@link VerbsExtensions} says. */
final class NativeExtensions implements VerbsExtensions {

    private final NativeContexts contexts;

    NativeExtensions(NativeContexts contexts) {
        this.contexts = contexts;
    }

    private static LoopEventChannel loop(RdmaEventChannel channel) {
        if (channel instanceof LoopEventChannel loop) {
            return loop;
        }
        throw new IllegalArgumentException("not an event channel of a loop: " + channel);
    }

    @Override
    public RdmaCapabilities capabilities() {
        return DeviceLimits.LEAST;
    }

    @Override
    public RdmaCapabilities capabilities(IbvContext device) {
        return ((NativeContext) device).capabilities();
    }

    @Override
    public MemoryWindow allocateWindow(IbvPd pd) throws IOException {
        return new NativeMw(NativeCm.cast(NativePd.class, pd));
    }

    @Override
    public RdmaEventChannel openConfinedEventChannel() throws IOException {
        return new LoopEventChannel(contexts);
    }

    @Override
    public void closeEventChannel(RdmaEventChannel channel) throws IOException {
        loop(channel).destroy();
    }

    private static NativeCompChannel completions(IbvCQ queue) throws IOException {
        NativeCompChannel completions = NativeCm.cast(NativeCq.class, queue).completions();
        if (completions == null) {
            throw new IOException("the completion queue has no completion channel");
        }
        return completions;
    }

    @Override
    public void attach(RdmaEventChannel events, IbvCQ queue) throws IOException {
        loop(events).attach(completions(queue));
    }

    @Override
    public void checkAttached(RdmaEventChannel events, IbvCQ queue) {
        // the loop waits for it itself
    }

    @Override
    public void detach(RdmaEventChannel events, IbvCQ queue) throws IOException {
        loop(events).detach(completions(queue));
    }

    @Override
    public CompletionPoller poller(IbvCQ completions) throws IOException {
        return new NativePoll(NativeCm.cast(NativeCq.class, completions));
    }

    @Override
    public @Nullable RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException {
        return loop(channel).next();
    }

    @Override
    public boolean progress(RdmaEventChannel channel) throws IOException {
        loop(channel).turn();
        return false;
    }

    @Override
    public void await(RdmaEventChannel channel, long timeoutNanos) throws IOException {
        loop(channel).await(timeoutNanos);
    }

    @Override
    public void wakeup(RdmaEventChannel channel) {
        loop(channel).wakeup();
    }

    @Override
    public void postBatch(IbvQP qp, WorkRequestBatch requests) throws IOException {
        NativeCm.cast(NativeQp.class, qp).sends().post(requests);
    }

    @Override
    public void postReceives(IbvQP qp, WorkRequestBatch requests) throws IOException {
        NativeCm.cast(NativeQp.class, qp).receives().post(requests);
    }

    @Override
    public int readTargetAccess(IbvPd pd) {
        boolean iwarp = ((NativeContext) pd.getContext()).isIwarp();
        return iwarp ? IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE : IbvMr.IBV_ACCESS_LOCAL_WRITE;
    }

    @Override
    public @Nullable ConnectionParameters peerParameters(RdmaCmEvent event) {
        return event instanceof NativeCmEvent known ? known.parameters() : null;
    }

    @Override
    public void reject(RdmaCmId id, byte[] privateData) throws IOException {
        NativeCm.reject(id, privateData);
    }

    @Override
    public boolean isFlushed(IbvQP qp, int status) {
        return VerbsExtensions.super.isFlushed(qp, status)
                || qp instanceof NativeQp known
                        && SiwQuirks.isFlushed(known.device().isSiw(), status);
    }

    @Override
    public long movedOctets(IbvQP qp) {
        return 0;
    }

    @Override
    public void toError(IbvQP qp) throws IOException {
        NativeCm.cast(NativeQp.class, qp).toError();
    }

    @Override
    public void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException {
        NativeCm.cast(NativeCmId.class, id).moveTo(loop(target));
    }

    @Override
    public Executor callExecutor() {
        return CallThreads.ENDS;
    }

    @Override
    public Executor connectExecutor() {
        return CallThreads.CONNECTS;
    }

    @Override
    public @Nullable InetSocketAddress localAddress(RdmaCmId id) {
        return id instanceof NativeCmId known ? known.source() : null;
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress(RdmaCmId id) {
        return id instanceof NativeCmId known ? known.destination() : null;
    }

    @Override
    public @Nullable String disconnectReason(RdmaCmId id) {
        return id instanceof NativeCmId known ? known.reason() : null;
    }
}
