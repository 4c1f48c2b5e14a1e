// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.internal.Ranges;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The configuration of a channel of any kind. Its options are in a table, and Netty's setters return its own type.
 *
 * <p>Threading: any thread.
 *
 * @param <C> its own type
 */
@SuppressWarnings("unchecked") // C is the type of this
public abstract class AbstractRdmaChannelConfig<C extends ChannelConfig> extends DefaultChannelConfig {

    private final OptionTable<C> table;
    /** Values of options that have no effect. */
    private final Map<ChannelOption<?>, Object> kept = new ConcurrentHashMap<>(0);

    protected AbstractRdmaChannelConfig(Channel channel, OptionTable<C> table) {
        this(channel, table, new AdaptiveRecvByteBufAllocator());
    }

    protected AbstractRdmaChannelConfig(Channel channel, OptionTable<C> table, RecvByteBufAllocator allocator) {
        super(channel, allocator);
        this.table = table;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), table.options());
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        OptionTable.Entry<C, T> known = table.find(option);
        return known == null ? super.getOption(option) : known.getter().apply((C) this);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        OptionTable.Entry<C, T> known = table.find(option);
        if (known == null) {
            return super.setOption(option, value);
        }
        validate(option, value);
        known.setter().accept((C) this, value);
        return true;
    }

    <T> T kept(ChannelOption<T> option, T initial) {
        return (T) kept.getOrDefault(option, initial);
    }

    void keep(ChannelOption<?> option, Object value) {
        kept.put(option, value);
    }

    /** Returns the value of an option that shapes the queue pair: within the range, and set before there is one. */
    protected final int shaping(String name, int value, int min, int max) {
        if (((AbstractRdmaChannel) channel).connection.queuePair() != null) {
            throw new IllegalStateException(
                    name + " cannot change once the queue pair exists; set it as an option of the"
                            + " bootstrap, or in the channel's initializer");
        }
        return Ranges.require(name, value, min, max);
    }

    @Override
    protected final void autoReadCleared() {
        if (channel instanceof AbstractRdmaChannel connected) {
            connected.clearRead();
        } else {
            ((AbstractRdmaServerChannel) channel).clearRead();
        }
    }

    @Override
    public C setConnectTimeoutMillis(int connectTimeoutMillis) {
        return (C) super.setConnectTimeoutMillis(connectTimeoutMillis);
    }

    @Override
    @Deprecated
    public C setMaxMessagesPerRead(int maxMessagesPerRead) {
        return (C) super.setMaxMessagesPerRead(maxMessagesPerRead);
    }

    @Override
    public C setWriteSpinCount(int writeSpinCount) {
        return (C) super.setWriteSpinCount(writeSpinCount);
    }

    @Override
    public C setAllocator(ByteBufAllocator allocator) {
        return (C) super.setAllocator(allocator);
    }

    @Override
    public C setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        return (C) super.setRecvByteBufAllocator(allocator);
    }

    @Override
    public C setAutoRead(boolean autoRead) {
        return (C) super.setAutoRead(autoRead);
    }

    @Override
    public C setAutoClose(boolean autoClose) {
        return (C) super.setAutoClose(autoClose);
    }

    @Override
    public C setMessageSizeEstimator(MessageSizeEstimator estimator) {
        return (C) super.setMessageSizeEstimator(estimator);
    }

    @Override
    public C setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        return (C) super.setWriteBufferWaterMark(writeBufferWaterMark);
    }

    @Override
    public C setWriteBufferHighWaterMark(int bytes) {
        return (C) super.setWriteBufferHighWaterMark(bytes);
    }

    @Override
    public C setWriteBufferLowWaterMark(int bytes) {
        return (C) super.setWriteBufferLowWaterMark(bytes);
    }
}
