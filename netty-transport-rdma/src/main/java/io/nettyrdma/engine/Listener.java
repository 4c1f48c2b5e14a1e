// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The listening side of a server channel of any kind: hands each request, before it is accepted, to a new child.
 * Requests that come while the channel is not read, or between two registrations, wait, at most as many as the backlog
 * says. More wait in the kernel with the software provider; devices cannot hold them back, so they are rejected.
 *
 * <p>Threading: the loop's, but for {@link #isOpen()} and {@link #localAddress()}. Ownership: owns the listening id,
 * and children that wait.
 */
public final class Listener implements RdmaIoHandle {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Listener.class);

    private static final PeerLog FAULTS = PeerLog.of(Listener.class);

    private final AbstractRdmaServerChannel channel;
    /** Requests that came while the channel was not read, or not registered; at most {@link #places}. */
    private final ArrayDeque<Channel> waiting = new ArrayDeque<>();

    /** The backlog when the id began to listen. */
    private int places;

    private @Nullable IoRegistration loopRegistration;
    private @Nullable RdmaRegistration registration;
    private @Nullable RdmaCmId id;
    private volatile @Nullable InetSocketAddress local;
    private volatile boolean closed;
    private boolean readPending;
    /** The child that the pipeline is taking. */
    private @Nullable Channel delivered;

    Listener(AbstractRdmaServerChannel channel) {
        this.channel = channel;
    }

    boolean isOpen() {
        return !closed;
    }

    /** Returns the address it listens on; {@code null} before it listens. */
    @Nullable
    InetSocketAddress localAddress() {
        return local;
    }

    void register(IoEventLoop loop, ChannelPromise promise) {
        loop.register(this).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            IoRegistration made = (IoRegistration) future.getNow();
            RdmaRegistration present = made.attachment();
            RdmaRegistration before = registration;
            RdmaCmId listener = id;
            if (listener != null) {
                if (before != null && before.handler() != present.handler()) {
                    made.cancel();
                    promise.setFailure(new IllegalStateException("a bound RDMA listener cannot move to another event"
                            + " loop: its port belongs to the first; register it there, or bind a new one"));
                    return;
                }
                present.watch(listener);
            }
            loopRegistration = made;
            registration = present;
            promise.setSuccess();
        });
    }

    void deregister() {
        IoRegistration present = loopRegistration;
        if (present != null) {
            loopRegistration = null;
            present.cancel();
        }
    }

    /** As Netty names the address when a connect fails. */
    static IOException withAddress(IOException cause, SocketAddress address) {
        String text = String.valueOf(cause.getMessage());
        if (text.contains(address.toString())) {
            return cause;
        }
        String message = text + ": " + address;
        IOException named;
        if (cause instanceof BindException) {
            named = new BindException(message);
        } else if (cause instanceof SocketException) {
            named = new SocketException(message);
        } else {
            named = new IOException(message);
        }
        named.initCause(cause);
        return named;
    }

    void listen(SocketAddress localAddress) throws Exception {
        RdmaRegistration present = registration;
        if (present == null) {
            throw new IllegalStateException("not registered; register the channel with an event loop first");
        }
        if (id != null) {
            throw new AlreadyBoundException();
        }
        IoLoop loop = present.handler();
        RdmaCmId listener = loop.events().createId(RdmaCm.RDMA_PS_TCP);
        if (listener == null) {
            throw new IOException("the provider could not create a listener's id");
        }
        try {
            Boolean reuse = channel.config().getOption(ChannelOption.SO_REUSEADDR);
            if (reuse != null) { // else the kind of channel does not have the option
                loop.verbs().setSocketOption(listener, StandardSocketOptions.SO_REUSEADDR, reuse);
            }
            listener.bindAddr(localAddress);
            places = channel.config().getOption(ChannelOption.SO_BACKLOG);
            listener.listen(places);
        } catch (IOException e) {
            listener.destroyId();
            throw withAddress(e, localAddress);
        } catch (Throwable e) {
            listener.destroyId();
            throw e;
        }
        id = listener;
        present.watch(listener);
        local = loop.verbs().localAddress(listener);
    }

    /** Handles a read request. */
    void beginRead() {
        readPending = true;
        Channel child = waiting.poll();
        if (child != null) {
            channel.eventLoop().execute(() -> {
                if (closed) {
                    child.unsafe().closeForcibly(); // in the meantime
                } else {
                    deliver(child);
                }
            });
        }
    }

    /** Cancels a pending read request. */
    void clearRead() {
        readPending = false;
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        if (event instanceof RdmaCmIoEvent cmEvent) {
            if (cmEvent.type() == VerbsConstants.CM_CONNECT_REQUEST) {
                onRequest(cmEvent);
            } else if (cmEvent.type() == VerbsConstants.CM_DEVICE_REMOVAL) {
                fail(new RdmaDeviceException(
                        "the listener on " + local + " ends", new IOException("its RDMA device was removed")));
            }
        }
    }

    private void onRequest(RdmaCmIoEvent event) {
        RdmaRegistration present = registration;
        if (present == null) {
            return;
        }
        Channel child = channel.newChild(new ConnectionRequest(present.handler(), event.id(), event.peer()));
        // As in the kernel with TCP, requests wait while the channel is between two registrations.
        if (channel.isRegistered() && (readPending || channel.config().isAutoRead())) {
            deliver(child);
        } else if (waiting.size() >= places) {
            child.unsafe().closeForcibly(); // over soft, the next ones wait in the kernel instead
        } else {
            waiting.add(child);
        }
    }

    private void deliver(Channel child) {
        readPending = false;
        delivered = child;
        channel.pipeline().fireChannelRead(child);
        delivered = null;
        channel.pipeline().fireChannelReadComplete();
        if (channel.config().isAutoRead()) {
            channel.read();
        }
    }

    /**
     * A handler of the pipeline has thrown, as Netty's does if the child's handler may be added only once. Nothing will
     * register the child then: its peer hears so now and not by a time-out.
     */
    void onHandlerFailed() {
        Channel child = delivered;
        if (child != null && !hasLoop(child)) {
            child.unsafe().closeForcibly();
        }
    }

    private static boolean hasLoop(Channel child) {
        try {
            return child.eventLoop() != null;
        } catch (IllegalStateException e) { // before anything registers it
            return false;
        }
    }

    /** Stops listening, and rejects waiting requests. */
    void end() {
        closed = true;
        RdmaRegistration present = registration;
        if (present != null) {
            // Netty closes a channel that cannot be registered on another loop, on that loop.
            present.handler().runOrExecute(() -> free(present));
        }
    }

    private void free(RdmaRegistration present) {
        Channel child;
        while ((child = waiting.poll()) != null) {
            child.unsafe().closeForcibly();
        }
        RdmaCmId listener = id;
        id = null;
        if (listener != null) {
            present.unwatch(listener);
            try {
                listener.destroyId();
            } catch (IOException e) {
                logger.warn("failed to free a listener", e);
            }
        }
    }

    @Override
    public boolean hasOutstanding() {
        return false; // a listener has no queue pair
    }

    @Override
    public void addTo(LoopSample sample) {
        // Its connections are channels of their own.
    }

    @Override
    public boolean isOn(LoopDevice device) {
        return false; // nor anything else of a device
    }

    /** A request could not be handed on, which says nothing of the next one. */
    @Override
    public void onFailure(Throwable cause) {
        FAULTS.error(() -> "failed to make a channel for a connection request on " + local, cause);
    }

    @Override
    public void fail(RdmaDeviceException cause) {
        if (!closed) {
            channel.pipeline().fireExceptionCaught(cause);
            close();
        }
    }

    @Override
    public void close() {
        channel.unsafe().close(channel.voidPromise());
    }

    @Override
    public void flush() {
        // A listener has posted nothing.
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
