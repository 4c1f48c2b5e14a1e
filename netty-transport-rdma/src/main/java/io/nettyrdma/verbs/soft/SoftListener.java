// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaConnParam;
import io.netty.util.NetUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket, and the count of its half-open connections: those accepted by TCP and not yet accepted, rejected
 * or moved away by the application. There are never more than the backlog, so that strangers cannot pile up state here.
 * When it is full, the kernel's own queue holds the next connections, as for any TCP listener. One of them takes the
 * place of a half-open connection that has said nothing for a while, see {@link SilentConnections}; so it does if the
 * process has no file descriptor left.
 *
 * <p>Threading: confined to the thread of the event channel, but {@link #release} may be called by any.
 * Ownership: belongs to its id.
 */
final class SoftListener implements SelectorHandler {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SoftListener.class);

    /** Queue of the kernel: as long as it can be. The port is bound with it, before the application says its own. */
    private static final int KERNEL_BACKLOG = NetUtil.SOMAXCONN;

    private static final int ACCEPTS_PER_TURN = 16;
    private static final long RETRY_NANOS = 100_000_000;

    private final SoftCmId id;
    private final SoftEventChannel events;
    private final ServerSocketChannel channel;
    private final AtomicInteger halfOpen = new AtomicInteger();
    private final SilentConnections silent = new SilentConnections();
    private final long graceNanos;
    private volatile boolean paused;
    private DeadlineQueue.@Nullable Deadline retry;
    private int backlog;
    private @Nullable SelectionKey key;

    /** Binds the port. Listening to it starts with {@link #listen}. */
    SoftListener(SoftCmId id, InetSocketAddress address) throws IOException {
        this.id = id;
        this.events = id.events();
        graceNanos = events.device().config.silenceGraceNanos();
        channel = ServerSocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            id.applySocketOptions(channel);
            channel.bind(address, KERNEL_BACKLOG);
        } catch (IOException e) {
            channel.close();
            throw e;
        } catch (UnsupportedAddressTypeException e) {
            channel.close();
            throw new IOException("unsupported address: " + address, e);
        }
    }

    ServerSocketChannel socket() {
        return channel;
    }

    InetSocketAddress localAddress() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    void listen(int requestedBacklog) throws IOException {
        backlog = requestedBacklog > 0 ? requestedBacklog : NetUtil.SOMAXCONN;
        if (key != null) {
            resume();
            return;
        }
        retryAfter(0); // has nothing to do, but loads the classes that a listener without file descriptors needs
        key = events.register(channel, SelectionKey.OP_ACCEPT, this);
        events.addListener(this);
    }

    @Override
    public void onReady(int operations) throws IOException {
        for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
            ResponderStartup replaced = null;
            if (halfOpen.get() >= backlog) {
                replaced = replaceable();
                if (replaced == null) {
                    waitForRoom();
                    return;
                }
            }
            SocketChannel socket = channel.accept();
            if (socket == null) {
                return;
            }
            halfOpen.incrementAndGet();
            ResponderStartup.onTcpAccepted(this, events, socket); // first, so that no failure loses the socket
            if (replaced != null) {
                replace(replaced, "the backlog of " + id.source() + " (SO_BACKLOG) is full with " + backlog);
            }
        }
    }

    @Override
    public void onFailure(Throwable e) {
        pause();
        retryAfter(RETRY_NANOS); // trying at once would spin
        if (makeRoom(e)) {
            retryAfter(0);
        }
        events.device().listeners.warn(() -> "accept failed on " + id.source() + ", trying again in a moment", e);
    }

    /**
     * The process is out of file descriptors or memory, most often. Then silent strangers must not keep what they have,
     * as in a full backlog. The selector frees the descriptors before the listener accepts again.
     */
    private boolean makeRoom(Throwable failure) {
        boolean any = false;
        for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
            ResponderStartup oldest = replaceable();
            if (oldest == null) {
                return any;
            }
            replace(
                    oldest,
                    "accept failed on " + id.source() + " (" + failure.getMessage() + ") with " + halfOpen.get());
            any = true;
        }
        return any;
    }

    /** A connection that has been silent for so long that another may take its place, or {@code null}. */
    private @Nullable ResponderStartup replaceable() {
        for (ResponderStartup oldest = silent.oldestOfMost();
                oldest != null && oldest.ageNanos() >= graceNanos;
                oldest = silent.oldestOfMost()) {
            // It may have spoken, and this thread was late.
            oldest.readNow();
            if (oldest == silent.oldestOfMost()) {
                return oldest;
            }
        }
        return null;
    }

    private void replace(ResponderStartup oldest, String why) {
        events.device()
                .listeners
                .info(() -> why + " half-open connections: closing one from " + oldest.remoteAddress()
                        + ", which has sent no complete MPA Request for "
                        + TimeUnit.NANOSECONDS.toMillis(oldest.ageNanos()) + " ms");
        oldest.end();
    }

    private void waitForRoom() {
        pause();
        ResponderStartup oldest = silent.oldestOfMost();
        if (halfOpen.get() < backlog) {
            // Released meanwhile by the thread of another event channel, before it could see the pause.
            resume();
        } else if (oldest != null) {
            retryAfter(Math.max(0, graceNanos - oldest.ageNanos()));
        }
    }

    private void retryAfter(long delayNanos) {
        if (retry != null) {
            retry.cancel();
        }
        retry = events.deadline(delayNanos, this::tryAgain);
    }

    private void pause() {
        paused = true;
        if (key != null && key.isValid()) {
            key.interestOps(0);
        }
    }

    @Override
    public void turn() {
        resume();
    }

    private void resume() {
        if (halfOpen.get() < backlog) {
            tryAgain();
        }
    }

    private void tryAgain() {
        if (paused && key != null && key.isValid()) {
            paused = false;
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    /** A half-open connection waits for the peer's MPA Request. */
    void silent(ResponderStartup connection) {
        silent.add(connection, connection.remoteAddress());
    }

    /** The request has come, or the connection has ended before. */
    void notSilent(ResponderStartup connection) {
        silent.remove(connection);
    }

    /** A connection is no longer half-open. Any thread. */
    void release() {
        halfOpen.decrementAndGet();
        if (paused) {
            events.resumeListeners();
        }
    }

    /** A complete MPA Request has come. */
    SoftCmId request(TcpConnection connection, RdmaConnParam parameters) throws IOException {
        SoftCmId child = id.child();
        child.source(connection.tcp().localAddress());
        child.destination(connection.tcp().remoteAddress());
        try {
            id.requestEvent(child, parameters);
        } catch (Throwable e) {
            child.endUse(); // it was not handed out
            throw e;
        }
        return child;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    void close() {
        events.removeListener(this);
        if (retry != null) {
            retry.cancel();
        }
        try {
            channel.close();
        } catch (IOException e) {
            logger.debug("closing a listening socket failed", e);
        }
        events.releaseClosed();
    }

    @Override
    public void shutdown() {
        close();
    }
}
