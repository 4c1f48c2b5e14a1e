// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The verbs side of one channel: connection id and queue pair, from the first of them to the end of the last. It does
 * what it is told and knows nothing of pipelines and states.
 *
 * <p>Threading: the loop's; until {@link #takeOver} the listener's loop owns a requested id. {@link #queuePair()} may
 * be read by any thread. Ownership: owns id and queue pair; {@link #destroy} frees both, when all completions are in.
 */
public final class VerbsConnection {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(VerbsConnection.class);

    private final Consumer<Throwable> failed;
    private final IdCalls calls = new IdCalls();
    /** Holds the queue pair, if there is one. */
    private volatile @Nullable RdmaRegistration registration;

    private @Nullable RdmaCmId id;
    /** The loop that the connection was requested on, until the channel's own loop takes it over. */
    private @Nullable IoLoop listenerLoop;

    /** Which threads the calls for the id may hold. */
    private LoopCalls.Kind kind = LoopCalls.Kind.END;
    /** Whether the id ends, and with it the channel: a call that has not been made need not be made any more. */
    private volatile boolean ending;

    /**
     * @param failed  called if posting or handling a completion fails
     * @param request what a peer asks for, or {@code null} if the connection is yet to be made
     */
    public VerbsConnection(Consumer<Throwable> failed, @Nullable ConnectionRequest request) {
        this.failed = failed;
        if (request != null) {
            listenerLoop = request.listenerLoop();
            id = request.id();
        }
    }

    /** Whether there is an id to deal with. */
    boolean exists() {
        return id != null;
    }

    @Nullable
    public QueuePair queuePair() {
        RdmaRegistration present = registration;
        return present == null ? null : present.queuePair();
    }

    public boolean isRegistered() {
        return registration != null;
    }

    private RdmaRegistration registration() {
        RdmaRegistration present = registration;
        if (present == null) {
            throw new IllegalStateException("not registered; register the channel with an event loop first");
        }
        return present;
    }

    private IoLoop handler() {
        return registration().handler();
    }

    /** Returns what has the loop, called by whatever thread, run {@code task}, unless it has ended. */
    Runnable unlessEnded(Runnable task) {
        IoLoop loop = handler();
        return () -> loop.runUnlessEnded(task);
    }

    /** Counts a failure, unless the channel has no loop. */
    public void count(LoopMeter failure) {
        RdmaRegistration present = registration;
        if (present != null) {
            present.handler().count(failure);
        }
    }

    public VerbsExtensions verbs() {
        return handler().verbs();
    }

    /** What the connection's device can do; what all devices can, as long as it is not known which it is. */
    public RdmaCapabilities capabilities() {
        RdmaCmId present = id;
        IbvContext device = present == null ? null : context(present);
        return device == null ? verbs().capabilities() : verbs().capabilities(device);
    }

    /** The device of an id, or {@code null} if it has none yet. */
    private static @Nullable IbvContext context(RdmaCmId id) {
        try {
            return id.getVerbs();
        } catch (IOException e) {
            return null; // destroyed
        }
    }

    /** Runs {@code task} on the loop that the connection belongs to; here and now if there is none. */
    void runOnItsLoop(Runnable task) {
        if (registration == null) {
            task.run();
        } else {
            handler().runOrExecute(task);
        }
    }

    private RdmaCmId id() {
        RdmaCmId present = id;
        if (present == null) {
            throw new IllegalStateException("not connected; use a connected channel");
        }
        return present;
    }

    public LoopDevice device() throws IOException {
        IbvContext context = id().getVerbs();
        if (context == null) {
            throw new IOException("the connection has no device yet");
        }
        return handler().device(context);
    }

    /**
     * Ties the connection to its loop, and brings a requested one over from its listener's.
     *
     * @throws IOException if the provider cannot move it; it is still the listener's then
     */
    void takeOver(RdmaRegistration made) throws IOException {
        registration = made;
        RdmaCmId requested = id;
        if (requested == null) {
            return;
        }
        if (handler() != listenerLoop) {
            verbs().migrateId(requested, handler().events());
        }
        listenerLoop = null;
        made.watch(requested);
    }

    /** Whether a requested connection still belongs to its listener's loop. */
    boolean isListeners() {
        return listenerLoop != null;
    }

    /** Ends a request that cannot be served where it came from: only that loop may touch it. */
    void endAtListener() {
        IoLoop loop = listenerLoop;
        RdmaCmId requested = id;
        if (loop == null || requested == null) {
            return;
        }
        listenerLoop = null;
        id = null;
        loop.runOrExecute(() -> {
            try {
                requested.destroyId(); // rejects what was not accepted
            } catch (Throwable e) {
                logger.warn("failed to free a connection request", e);
            }
        });
    }

    /**
     * Starts to connect; {@link #resolveRoute}, {@link #createQueuePair} and {@link #connect} follow as events come.
     *
     * @param timeoutMillis more than 0
     */
    void resolve(@Nullable SocketAddress localAddress, InetSocketAddress remoteAddress, int timeoutMillis)
            throws IOException {
        if (!registration().isValid()) {
            throw new ClosedChannelException(); // deregistered while another id was given up
        }
        RdmaCmId made = handler().events().createId(RdmaCm.RDMA_PS_TCP);
        if (made == null) {
            throw new IOException("the provider could not create a connection id");
        }
        id = made;
        registration().watch(made);
        made.resolveAddr(localAddress, remoteAddress, timeoutMillis);
    }

    /** As {@link #resolve}. */
    void resolveRoute(int timeoutMillis) throws IOException {
        id().resolveRoute(timeoutMillis);
    }

    /** Creates the queue pair and posts its receives, before the peer learns that it may send. */
    void createQueuePair(QueuePairLimits limits, QueuePairOwner owner) throws IOException {
        Runnable post = this::postWhatWaits; // one object for all times
        QueuePair made = new QueuePair(
                registration().id(),
                device(),
                id(),
                limits,
                owner,
                () -> handler().beforeWaiting(post),
                failed);
        registration().queuePair(made);
        made.postReceives();
    }

    /** Posts receives that came back, and bindings of windows; run by the loop before it waits. */
    private void postWhatWaits() {
        QueuePair pair = queuePair();
        if (pair != null) {
            try {
                pair.postReceives();
                pair.postBindings();
            } catch (Throwable e) {
                failed.accept(e);
            }
        }
    }

    /**
     * Connects.
     *
     * @param refused told if that is refused; an event tells of anything else
     */
    void connect(ConnectionParameters parameters, Consumer<Throwable> refused) {
        RdmaCmId present = id();
        EndSteps.Step connect = () -> {
            if (ending) {
                throw new ClosedChannelException(); // while the call waited for those before it
            }
            present.connect(parameters);
        };
        kind = LoopCalls.Kind.CONNECT;
        calls.make(handler().calls(), kind, connect, failure -> {
            if (failure != null) {
                refused.accept(failure);
            }
        });
    }

    /** The connection is there: its end takes no longer than that of any other. */
    void onEstablished() {
        kind = LoopCalls.Kind.END;
    }

    /**
     * Gives up what was to be connected and has not been, so that {@link #resolve} can begin with another id.
     *
     * @param then run when the first id and its queue pair are gone, with what could not be freed or {@code null}
     */
    void startOver(Consumer<@Nullable Throwable> then) {
        RdmaCmId refused = id();
        QueuePair pair = queuePair();
        id = null;
        registration().queuePair(null);
        registration().unwatch(refused);
        // What the old queue pair has flushed carries the numbers that the next will give to its own requests.
        free(refused, pair, () -> handler().handleCompletions(), then);
    }

    /**
     * Sets an option of the socket below the connection, if the provider has one. Before there is a queue pair, the
     * connection may still be another loop's, so nothing is set.
     */
    public <T> void setSocketOption(SocketOption<T> option, T value) {
        RdmaCmId present = id;
        if (present != null && queuePair() != null) {
            verbs().setSocketOption(present, option, value);
        }
    }

    void accept(ConnectionParameters parameters) throws IOException {
        id().accept(parameters);
    }

    @Nullable
    InetSocketAddress localAddress() {
        return verbs().localAddress(id());
    }

    @Nullable
    InetSocketAddress remoteAddress() {
        return verbs().remoteAddress(id());
    }

    @Nullable
    String disconnectReason() {
        return verbs().disconnectReason(id());
    }

    /** Says no to a request. */
    void reject(byte[] privateData) {
        if (isListeners()) {
            endAtListener();
            return;
        }
        RdmaCmId requested = id;
        if (requested != null) {
            try {
                verbs().reject(requested, privateData);
            } catch (Throwable e) {
                logger.debug("failed to reject a connection request", e);
            }
        }
    }

    /** Whether completions are owed. */
    boolean hasOutstanding() {
        QueuePair pair = queuePair();
        return pair != null && !pair.isIdle();
    }

    /** Starts an orderly end: what was posted is sent if the peer takes it, the rest is flushed. */
    void disconnect() {
        QueuePair pair = queuePair();
        RdmaCmId present = id;
        if (pair != null && present != null) {
            ending = true;
            pair.stopPosting();
            calls.make(handler().calls(), kind, present::disconnect, failure -> {
                if (failure != null) {
                    logger.debug("disconnect failed", failure);
                }
            });
        }
    }

    /** Flushes whatever is outstanding. */
    void flush() {
        QueuePair pair = queuePair();
        if (pair != null) {
            try {
                pair.toError();
            } catch (Throwable e) {
                logger.warn("failed to flush a queue pair", e);
            }
        }
    }

    /** Ends the registration although completions are owed; {@link #destroy} follows from it. */
    void abandon() {
        registration().end();
    }

    /** Frees queue pair and id. Idempotent. */
    void destroy() {
        RdmaCmId present = id;
        RdmaRegistration watching = registration;
        if (present == null) {
            return; // a channel that was deregistered before it connected may connect later
        }
        ending = true;
        id = null;
        if (watching == null) {
            logIfNotFreed(new EndSteps().then(present::destroyId).failure()); // without a loop there is no queue pair
            return;
        }
        watching.unwatch(present);
        free(present, queuePair(), () -> {}, VerbsConnection::logIfNotFreed);
    }

    /**
     * Frees an id and its queue pair.
     *
     * @param flushed run when the queue pair has flushed what it had, and its entries in the completion queue are still
     *                its own
     */
    private void free(RdmaCmId ended, @Nullable QueuePair pair, Runnable flushed, Consumer<@Nullable Throwable> done) {
        EndSteps steps = new EndSteps();
        if (pair != null) {
            pair.close();
            steps.then(pair::closeWindows);
        }
        AtomicBoolean pairGone = new AtomicBoolean();
        calls.make(
                handler().calls(),
                kind,
                () -> {
                    if (pair != null) {
                        steps.then(() -> {
                            pair.destroy();
                            pairGone.set(true);
                        });
                    }
                    steps.then(ended::destroyId).end();
                },
                failure -> {
                    steps.then(flushed::run);
                    if (pair != null && pairGone.get()) {
                        steps.then(pair::onDestroyed); // else the device may still use its memory, which is better lost
                    }
                    done.accept(steps.failure());
                });
    }

    private static void logIfNotFreed(@Nullable Throwable failed) {
        if (failed != null) {
            logger.warn("failed to free a connection", failed);
        }
    }
}
