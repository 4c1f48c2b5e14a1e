// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Observes one call, from its beginning to its end. Exists only for calls that began while a listener was there.
 *
 * <p>Threading: confined to the executor of the handler.
 */
public final class CallTrace {

    private final RpcRdmaObserver observer;
    private final int xid;
    private final long startNanos;
    private final @Nullable CallEvent event;
    private @Nullable RpcCallHeader header;
    private boolean waiting;
    private long waitedNanos;
    private int registrations;
    private long exposedBytes;
    private @Nullable TransferTrace pushing;

    CallTrace(RpcRdmaObserver observer, int xid) {
        this.observer = observer;
        this.xid = xid;
        startNanos = observer.nanoTime();
        event = FlightRecording.ofCalls() ? new CallEvent() : null;
        if (event != null) {
            event.begin();
        }
        observer.onEvent((to, channel) -> to.onCallBegun(channel, observer.role(), xid));
    }

    /** A requester's call, whose plan does not always keep the header. */
    public void onCalled(@Nullable RpcCallHeader header) {
        this.header = header;
    }

    /** What observes a call at a responder. */
    public static @Nullable CallTrace of(ResponderCall call) {
        return (CallTrace) call.attachment();
    }

    /** A call at a responder has ended without a reply. */
    public static void onEndedWithoutReply(ResponderCall call, CallOutcome outcome) {
        CallTrace trace = of(call);
        if (trace != null) {
            trace.onEnded(call.header(), outcome);
        }
    }

    RpcRdmaObserver observer() {
        return observer;
    }

    int xid() {
        return xid;
    }

    /** The call cannot be sent at once, because the credits are used up. */
    public void onWaiting() {
        setWaiting(true);
    }

    private void setWaiting(boolean waits) {
        waiting = waits;
        observer.onEvent((to, channel) -> to.onCreditWait(channel, xid, waits));
    }

    /** The requester sends the call. */
    public void onSending() {
        if (!waiting) {
            return;
        }
        setWaiting(false);
        waitedNanos = observer.nanoTime() - startNanos;
        observer.onEvent((to, channel) -> to.onCreditAwaited(channel, xid, waitedNanos));
    }

    /** The requester has registered memory for the call. */
    public void onExposed(int registrations, long bytes) {
        this.registrations = registrations;
        exposedBytes = bytes;
        observer.onEvent((to, channel) -> to.onMemoryExposed(channel, registrations, bytes));
    }

    /** The peer can no longer reach the memory: the call has ended, or is made once more. */
    public void onWithdrawn() {
        int withdrawn = registrations;
        if (withdrawn > 0) {
            registrations = 0;
            observer.onEvent((to, channel) -> to.onMemoryWithdrawn(channel, withdrawn, exposedBytes));
        }
    }

    /** The responder writes to chunks, and returns them with the reply. */
    public void onPushing(ChunkLists returned) {
        pushing = TransferTrace.pushing(this, returned);
    }

    /**
     * The responder ends the call when it has sent the reply, or fails to.
     *
     * @param ofError how it has ended if it is answered by an error
     */
    public void endsWith(ChannelPromise promise, ResponderCall call, CallOutcome ofError) {
        promise.addListener(future -> {
            EventExecutor executor = observer.context().executor();
            if (executor.inEventLoop()) {
                onReplied(call, ofError, future.cause());
            } else {
                executor.execute(() -> onReplied(call, ofError, future.cause()));
            }
        });
    }

    private void onReplied(ResponderCall call, CallOutcome ofError, @Nullable Throwable failure) {
        if (failure == null && pushing != null) {
            pushing.onEnded();
        }
        onEnded(call.header(), failure == null ? CallOutcome.REPLIED : replyOutcome(failure, ofError));
    }

    /** The call of a requester has ended. */
    public void onEnded(CallOutcome outcome) {
        onEnded(header, outcome);
    }

    void onEnded(@Nullable RpcCallHeader header, CallOutcome outcome) {
        if (waiting) {
            setWaiting(false);
        }
        onWithdrawn();
        if (observer.isListenedTo()) {
            long nanos = observer.nanoTime() - startNanos;
            RpcRdmaCallReport report = new RpcRdmaCallReport(observer.role(), xid, header, nanos, outcome);
            observer.onEvent((to, channel) -> to.onCallEnded(channel, report));
        }
        if (event != null) {
            event.end();
            if (event.shouldCommit()) {
                commit(event, header, outcome);
            }
        }
    }

    private void commit(CallEvent event, @Nullable RpcCallHeader header, CallOutcome outcome) {
        event.channel = observer.channel().id().asShortText();
        event.role = observer.role().name();
        event.xid = Integer.toUnsignedLong(xid);
        if (header != null) {
            event.program = Integer.toUnsignedLong(header.program());
            event.version = Integer.toUnsignedLong(header.version());
            event.procedure = Integer.toUnsignedLong(header.procedure());
        }
        event.outcome = outcome.name();
        event.creditWait = waitedNanos;
        event.commit();
    }

    /** What a requester's failure means. */
    public static CallOutcome callOutcome(Throwable cause) {
        if (cause instanceof RpcRdmaException failure) {
            return failure.outcome();
        }
        return cause instanceof CancellationException ? CallOutcome.CANCELLED : CallOutcome.FAILED;
    }

    /** What the failure of a responder's reply means. Whatever fails in the transport ends the connection. */
    private static CallOutcome replyOutcome(Throwable cause, CallOutcome ofError) {
        if (cause instanceof ConnectionLostException) {
            return CallOutcome.CONNECTION_LOST;
        } else if (cause instanceof RpcRdmaException) {
            return ofError; // sent in place of a reply that cannot be conveyed
        } else if (cause instanceof CancellationException) {
            return CallOutcome.CANCELLED;
        }
        return cause instanceof IOException ? CallOutcome.CONNECTION_LOST : CallOutcome.FAILED;
    }
}
