// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.verbs.spi.RequestGoneException;
import org.jspecify.annotations.Nullable;

/**
 * A connected channel of any kind as its loop sees it, from its registration to its end. Passes connection events to
 * {@link Establishment}.
 *
 * <p>Threading: the loop's.
 */
final class ChannelHandle implements RdmaIoHandle {

    private final AbstractRdmaChannel channel;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final Establishment establishment;
    private final OrderlyClose orderlyClose;
    private @Nullable IoRegistration registration;

    ChannelHandle(AbstractRdmaChannel channel) {
        this.channel = channel;
        lifecycle = channel.lifecycle;
        connection = channel.connection;
        establishment = channel.establishment;
        orderlyClose = channel.orderlyClose;
    }

    /** Implements {@code doRegister}. A channel made for a request accepts it afterwards. */
    void register(ChannelPromise promise) {
        if (connection.queuePair() != null) {
            promise.setFailure(new IllegalStateException(
                    "a connected RDMA channel cannot be registered again, with the same or another event loop: its"
                            + " queue pair belongs to its first registration; connect a new channel"));
            return;
        }
        ((IoEventLoop) channel.eventLoop()).register(this).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            IoRegistration made = (IoRegistration) future.getNow();
            registration = made;
            try {
                connection.takeOver(made.attachment());
            } catch (RequestGoneException e) {
                // Not a registration that fails: Netty would write a stack trace for peers that connect and hang up.
                connection.endAtListener();
                promise.setSuccess();
                channel.eventLoop()
                        .execute(() -> orderlyClose.fail(new RdmaConnectionException(
                                "the peer hung up before its connection could be accepted")));
                return;
            } catch (Throwable e) {
                // First, as Netty does not deregister what it did not register.
                connection.endAtListener();
                deregister();
                promise.setFailure(e);
                return;
            }
            promise.setSuccess();
            if (lifecycle.mayAccept()) {
                // Later, so that handlers are in place and channelRegistered has passed.
                channel.eventLoop().execute(establishment::accept);
            }
        });
    }

    /** Implements {@code doDeregister}. */
    void deregister() {
        IoRegistration present = registration;
        if (present != null) {
            registration = null;
            present.cancel(); // takes effect when all completions are in
            if (lifecycle.isConnecting()) {
                channel.eventLoop().execute(this::close); // nothing completes before the peer answers
            }
        }
    }

    /**
     * Implements {@code doClose}.
     *
     * @param rejection private data for a peer whose request was not answered
     */
    void closeConnection(byte[] rejection) {
        boolean unanswered = lifecycle.mayAccept();
        if (lifecycle.close()) {
            // Netty closes a channel that cannot be registered on another loop, on that loop.
            connection.runOnItsLoop(() -> {
                establishment.onClosed();
                channel.exchange().onClosed();
                if (unanswered) {
                    connection.reject(rejection);
                }
                orderlyClose.onClosed();
                if (!connection.isRegistered()) {
                    connection.destroy(); // no loop will do it
                }
            });
        }
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        if (event instanceof RdmaCmIoEvent cmEvent) {
            try {
                establishment.onCmEvent(cmEvent);
            } catch (Throwable e) {
                onFailure(e);
            }
        }
    }

    /** Ends the connection, or the attempt to make it, after an unexpected failure. */
    @Override
    public void onFailure(Throwable cause) {
        if (lifecycle.isConnecting()) {
            establishment.onFailure(cause);
        } else {
            orderlyClose.fail(cause);
        }
    }

    @Override
    public boolean hasOutstanding() {
        return connection.hasOutstanding();
    }

    @Override
    public void unregistered() {
        if (connection.exists()) {
            // deregister() of an open channel: without its connection it is closed.
            orderlyClose.closeNow(channel.voidPromise());
        }
        orderlyClose.onUnregistered();
        connection.destroy();
    }

    @Override
    public void addTo(LoopSample sample) {
        QueuePair pair = connection.queuePair();
        if (pair != null) {
            pair.addTo(sample);
        }
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out != null) {
            sample.add(LoopMeter.WAITING_BYTES, out.totalPendingWriteBytes());
        }
    }

    @Override
    public boolean isOn(LoopDevice device) {
        QueuePair pair = connection.queuePair();
        return pair != null && pair.device() == device;
    }

    @Override
    public void fail(RdmaDeviceException cause) {
        if (lifecycle.isConnecting()) {
            establishment.onFailure(cause);
        } else {
            orderlyClose.failNow(cause);
        }
    }

    @Override
    public void close() {
        channel.exchange().closeAtOnce();
        orderlyClose.closeNow(channel.voidPromise());
        orderlyClose.flushUnlessEnding();
    }

    @Override
    public void flush() {
        orderlyClose.flushNow();
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
