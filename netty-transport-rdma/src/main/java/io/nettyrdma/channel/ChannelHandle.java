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

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.nettyrdma.verbs.VerbsConstants;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * An {@link RdmaChannel} as its loop and its queue pair see it: turns their events into what the channel does.
 *
 * <p>Threading: the loop's.
 */
final class ChannelHandle implements RdmaIoHandle, QueuePairOwner {

    private final RdmaChannel channel;
    private final VerbsConnection connection;
    private final Establishment establishment;
    private final OrderlyClose orderlyClose;
    private final DeliveryQueue inbound;

    ChannelHandle(
            RdmaChannel channel,
            VerbsConnection connection,
            Establishment establishment,
            OrderlyClose orderlyClose,
            DeliveryQueue inbound) {
        this.channel = channel;
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
            if (establishment.isConnecting()) {
                establishment.failed(e);
            } else {
                channel.fail(e);
            }
        }
    }

    private void batchEnded() {
        channel.deliver();
        OutboundPoster poster = connection.outbound();
        ChannelOutboundBuffer in = channel.unsafe().outboundBuffer();
        if (poster != null && in != null) {
            poster.removeBarriers(in);
            if (channel.canPost() && poster.hasUnposted(in)) {
                channel.flushAgain();
            }
        }
        orderlyClose.closeIfFlushed();
        channel.endIfFailed();
    }

    @Override
    public void received(RegisteredByteBuf message) {
        if (channel.isOpen() && !orderlyClose.hasBegun()) {
            inbound.add(message);
        } else {
            channel.discard(message);
        }
    }

    @Override
    public void sendCompleted(Object message, @Nullable Throwable cause) {
        OutboundPoster poster = connection.outbound();
        assert poster != null;
        // What an end of either side flushes has not failed by itself.
        boolean ending = orderlyClose.hasBegun() || channel.isPeerGone();
        if (cause instanceof RdmaWorkRequestException failed
                && failed.status() == VerbsConstants.WC_WR_FLUSH_ERR
                && !ending) {
            channel.flushed();
        }
        Throwable told = cause != null && ending ? new ClosedChannelException() : cause;
        poster.completed(channel.unsafe().outboundBuffer(), message, told);
    }

    @Override
    public void failed(Throwable cause) {
        if (channel.mayTellFailure()) {
            channel.failLater(cause);
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
            channel.closeNow(channel.voidPromise());
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
        if (establishment.isConnecting()) {
            establishment.failed(cause);
        } else {
            channel.failNow(cause);
        }
    }

    @Override
    public void close() {
        channel.closeNow(channel.voidPromise());
        orderlyClose.flushNow();
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
