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
package io.nettyrdma.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.nettyrdma.verbs.VerbsConstants;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * A channel as its loop and its queue pair see it: turns their events into what the channel does.
 *
 * <p>Threading: the loop's.
 */
final class ChannelHandle implements RdmaIoHandle, QueuePairOwner {

    private final Channel channel;
    private final ConnectionUnsafe unsafe;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final Establishment establishment;
    private final OrderlyClose orderlyClose;
    private final DeliveryQueue inbound;

    ChannelHandle(
            Channel channel,
            ConnectionUnsafe unsafe,
            ChannelLifecycle lifecycle,
            VerbsConnection connection,
            Establishment establishment,
            OrderlyClose orderlyClose,
            DeliveryQueue inbound) {
        this.channel = channel;
        this.unsafe = unsafe;
        this.lifecycle = lifecycle;
        this.connection = connection;
        this.establishment = establishment;
        this.orderlyClose = orderlyClose;
        this.inbound = inbound;
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        try {
            if (event instanceof RdmaCompletion completion) {
                QueuePair pair = connection.queuePair();
                if (pair != null) {
                    pair.completed(completion, this);
                }
            } else if (event instanceof RdmaBatchEnd) {
                batchEnded();
            } else if (event instanceof RdmaCmIoEvent cmEvent) {
                establishment.onCmEvent(cmEvent);
            }
        } catch (Throwable e) {
            if (lifecycle.isConnecting()) {
                establishment.onFailure(e);
            } else {
                orderlyClose.fail(e);
            }
        }
    }

    private void batchEnded() {
        inbound.deliver();
        OutboundPoster poster = connection.outbound();
        ChannelOutboundBuffer in = unsafe.outboundBuffer();
        if (poster != null && in != null) {
            poster.removeBarriers(in);
            if (lifecycle.mayPost() && poster.hasUnposted(in)) {
                unsafe.flushAgain();
            }
        }
        orderlyClose.closeIfFlushed();
        orderlyClose.closeIfFailing();
    }

    @Override
    public void received(RegisteredByteBuf message) {
        if (lifecycle.mayTakeOn()) {
            inbound.add(message);
        } else {
            inbound.discard(message);
        }
    }

    @Override
    public void sendCompleted(Object message, @Nullable Throwable cause) {
        OutboundPoster poster = connection.outbound();
        assert poster != null;
        if (cause instanceof RdmaWorkRequestException failed && failed.status() == VerbsConstants.WC_WR_FLUSH_ERR) {
            lifecycle.onFlushed();
        }
        // What an end of either side flushes has not failed by itself.
        Throwable told = cause != null && lifecycle.isEnding() ? new ClosedChannelException() : cause;
        poster.completed(unsafe.outboundBuffer(), message, told);
    }

    @Override
    public void failed(Throwable cause) {
        lifecycle.onFailure(cause);
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
        orderlyClose.stopTimer();
        connection.destroy();
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
        orderlyClose.closeNow(channel.voidPromise());
        orderlyClose.flushNow();
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
