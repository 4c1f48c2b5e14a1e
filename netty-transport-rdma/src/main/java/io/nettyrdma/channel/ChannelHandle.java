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
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;

/**
 * A connected channel of any kind as its loop sees it: hands completions to the queue pair, which tells the channel's
 * own {@link QueuePairOwner}, and connection events to whoever makes the connection.
 *
 * <p>Threading: the loop's.
 */
final class ChannelHandle implements RdmaIoHandle {

    private final Channel channel;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final Establishment establishment;
    private final OrderlyClose orderlyClose;
    private final QueuePairOwner owner;

    ChannelHandle(
            Channel channel,
            ChannelLifecycle lifecycle,
            VerbsConnection connection,
            Establishment establishment,
            OrderlyClose orderlyClose,
            QueuePairOwner owner) {
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.connection = connection;
        this.establishment = establishment;
        this.orderlyClose = orderlyClose;
        this.owner = owner;
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        try {
            if (event instanceof RdmaCompletion completion) {
                QueuePair pair = connection.queuePair();
                if (pair != null) {
                    pair.onCompletion(completion, owner);
                }
            } else if (event instanceof RdmaBatchEnd) {
                owner.onBatchEnd();
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
