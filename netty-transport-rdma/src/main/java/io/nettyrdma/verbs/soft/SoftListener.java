/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaConnParam;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket, and the count of its half-open connections: those accepted by TCP and not yet accepted, rejected
 * or moved away by the application. At the backlog it stops accepting, so that strangers cannot pile up state here;
 * the kernel's own queue holds the next ones.
 *
 * <p>Threading: confined to the thread of the event channel, but {@link #release} may be called by any.
 * Ownership: belongs to its id.
 */
final class SoftListener implements SelectorHandler {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SoftListener.class);

    /** Queue of the kernel. It has to be given when the port is bound, before the application says its own. */
    private static final int KERNEL_BACKLOG = 1024;

    private static final int DEFAULT_BACKLOG = 128;
    private static final int ACCEPTS_PER_TURN = 16;
    private static final long RETRY_NANOS = 100_000_000;

    private final SoftCmId id;
    private final SoftEventChannel events;
    private final ServerSocketChannel channel;
    private final AtomicInteger halfOpen = new AtomicInteger();
    private volatile boolean paused;
    private int backlog;
    private @Nullable SelectionKey key;

    /** Binds the port. Listening to it starts with {@link #listen}. */
    SoftListener(SoftCmId id, InetSocketAddress address) throws IOException {
        this.id = id;
        this.events = id.events();
        channel = ServerSocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(address, KERNEL_BACKLOG);
        } catch (IOException e) {
            channel.close();
            throw e;
        } catch (UnsupportedAddressTypeException e) {
            channel.close();
            throw new IOException("unsupported address: " + address, e);
        }
    }

    InetSocketAddress localAddress() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    void listen(int requestedBacklog) throws IOException {
        backlog = requestedBacklog > 0 ? requestedBacklog : DEFAULT_BACKLOG;
        if (key != null) {
            resume();
            return;
        }
        key = events.register(channel, SelectionKey.OP_ACCEPT, this);
        events.addListener(this);
    }

    @Override
    public void ready(int operations) {
        try {
            for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
                if (halfOpen.get() >= backlog) {
                    pause();
                    if (halfOpen.get() < backlog) {
                        // Released meanwhile by the thread of another event channel, before it could see the pause.
                        resume();
                    }
                    return;
                }
                SocketChannel socket = channel.accept();
                if (socket == null) {
                    return;
                }
                halfOpen.incrementAndGet();
                ResponderStartup.accepted(this, events, socket);
            }
        } catch (IOException e) {
            // Usually out of file descriptors, which goes away by itself; trying at once would spin.
            events.device().listeners.warn(() -> "accept failed on " + id.source() + ", trying again in a moment", e);
            pause();
            events.deadline(RETRY_NANOS, this::resume);
        }
    }

    private void pause() {
        paused = true;
        if (key != null && key.isValid()) {
            key.interestOps(0);
        }
    }

    void resume() {
        if (paused && halfOpen.get() < backlog && key != null && key.isValid()) {
            paused = false;
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    /** A connection is no longer half-open. Any thread. */
    void release() {
        halfOpen.decrementAndGet();
        if (paused) {
            events.resumeListeners();
        }
    }

    /** A complete MPA Request has come. */
    SoftCmId request(SoftConnection connection, RdmaConnParam parameters) throws IOException {
        SoftCmId child = id.child();
        child.source(connection.tcp().localAddress());
        child.destination(connection.tcp().remoteAddress());
        id.requestEvent(child, parameters);
        return child;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    void close() {
        events.removeListener(this);
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
