// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.nettyrdma.internal.Ranges;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The options that a kind of channel has besides those of all channels. A program may name one by the constant of
 * another transport, which differs, but ends with the same name.
 *
 * <p>Threading: any thread, once all options are added.
 *
 * @param <C> the channel's configuration
 */
public final class OptionTable<C extends ChannelConfig> {

    /** One option, as the configuration reads and sets it. */
    record Entry<C, T>(ChannelOption<T> option, Function<C, T> getter, BiConsumer<C, T> setter) {}

    private final Map<String, Entry<C, ?>> entries = new LinkedHashMap<>();

    /** Adds an option. */
    public <T> OptionTable<C> add(ChannelOption<T> option, Function<C, T> getter, BiConsumer<C, T> setter) {
        entries.put(TcpOptions.name(option), new Entry<>(option, getter, setter));
        return this;
    }

    /** Adds an option that has no effect: programs set it whatever the channel is, and read back what they set. */
    public OptionTable<C> keep(ChannelOption<Boolean> option) {
        return keep(option, false, UnaryOperator.identity());
    }

    /** As {@link #keep(ChannelOption)}, with a range. */
    public OptionTable<C> keep(ChannelOption<Integer> option, int initial, int min, int max) {
        return keep(option, initial, value -> Ranges.require(TcpOptions.name(option), value, min, max));
    }

    private <T> OptionTable<C> keep(ChannelOption<T> option, T initial, UnaryOperator<T> check) {
        return add(option, c -> of(c).kept(option, initial), (c, v) -> of(c).keep(option, check.apply(v)));
    }

    private static AbstractRdmaChannelConfig<?> of(ChannelConfig config) {
        return (AbstractRdmaChannelConfig<?>) config;
    }

    /** Gives an option another name, which it has in other transports. */
    public OptionTable<C> alias(ChannelOption<?> option, String name) {
        entries.put(name, Objects.requireNonNull(entries.get(TcpOptions.name(option))));
        return this;
    }

    @Nullable
    @SuppressWarnings("unchecked") // options of one name have values of one type
    <T> Entry<C, T> find(ChannelOption<T> option) {
        return (Entry<C, T>) entries.get(TcpOptions.name(option));
    }

    ChannelOption<?>[] options() {
        return entries.values().stream().map(Entry::option).distinct().toArray(ChannelOption<?>[]::new);
    }
}
