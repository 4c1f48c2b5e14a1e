// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.engine.LoopMeter;
import io.nettyrdma.engine.RunningLoops;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Measures all RDMA event loops of the process, those that start later included:
 *
 * <pre>{@code
 * new RdmaMetrics().bindTo(registry);
 * }</pre>
 *
 * <table>
 * <caption>The meters, each with the tag {@code loop}, the name of the loop's thread; a
 *     second loop of the same name has {@code -2} behind it</caption>
 * <tr><th>name<th>type<th>what
 * <tr><td>{@code rdma.connections}<td>counter<td>connections begun, by either side
 * <tr><td>{@code rdma.connections.active}<td>gauge<td>connections, those that are being made included
 * <tr><td>{@code rdma.connections.shared}<td>gauge<td>connections through memory shared with a process of this host
 * <tr><td>{@code rdma.connects.failed}<td>counter<td>connects that failed, with the tag {@code reason}: {@code
 *     refused}, {@code unreachable}, {@code timeout}, {@code rejected} by the peer, {@code resources}, {@code other}
 * <tr><td>{@code rdma.connections.failed}<td>counter<td>connections that an error has ended, with the tag {@code
 *     reason}: {@code reset} by the peer or the network, {@code timeout}, {@code protocol}, {@code resources}, {@code
 *     other}
 * <tr><td>{@code rdma.sends}<td>counter<td>Sends and RDMA Writes
 * <tr><td>{@code rdma.sent}<td>counter, bytes<td>their bytes; of a byte stream, its control messages included
 * <tr><td>{@code rdma.receives}<td>counter<td>received messages; of a byte stream, its control messages
 * <tr><td>{@code rdma.received}<td>counter, bytes<td>their bytes, and those of byte streams. RDMA Writes and Reads of
 *     the peer's own are not seen by this side
 * <tr><td>{@code rdma.read}<td>counter, bytes<td>bytes of RDMA Reads
 * <tr><td>{@code rdma.writes.waiting}<td>gauge, bytes<td>what was written to channels and has not left
 * <tr><td>{@code rdma.receives.posted}<td>gauge<td>posted receives
 * <tr><td>{@code rdma.receives.exhausted}<td>counter<td>messages that used the last posted receive of a channel: the
 *     next one waits on the software provider, and ends the connection on others
 * <tr><td>{@code rdma.receives.copied}<td>counter<td>messages copied because handlers keep too many received buffers
 * <tr><td>{@code rdma.memory}<td>gauge, bytes<td>memory for messages and for peers, used or kept
 * <tr><td>{@code rdma.completions}, {@code rdma.completions.reserved}<td>gauge<td>entries of completion queues, and
 *     those that connections have reserved
 * </table>
 *
 * <p>A loop that has channels takes a sample each second, as long as it is measured; nothing else is done for it while
 * messages move.
 *
 * <p>Threading: any.
 */
@SuppressWarnings("exports") // only modules that use this class need Micrometer, and require it themselves
public final class RdmaMetrics implements MeterBinder, AutoCloseable {

    private final Tags tags;
    private final List<LoopMeters> bound = new CopyOnWriteArrayList<>();

    /** Creates meters without additional tags. */
    public RdmaMetrics() {
        this(Tags.empty());
    }

    /** Creates meters with additional tags, such as the name of a server. */
    public RdmaMetrics(Iterable<Tag> tags) {
        this.tags = Tags.of(tags);
    }

    /** Creates the meters of all loops in a registry, and of others when they start. */
    @Override
    public void bindTo(MeterRegistry registry) {
        LoopMeters meters = new LoopMeters(registry);
        bound.add(meters);
        RunningLoops.watch(meters);
    }

    /** Removes the meters from all registries. */
    @Override
    public void close() {
        for (LoopMeters meters : bound) {
            RunningLoops.unwatch(meters);
            bound.remove(meters);
        }
    }

    /** The meters in one registry. Called by one thread at a time. */
    private final class LoopMeters implements RunningLoops.Watcher {

        private final MeterRegistry registry;
        private final Map<IoLoop, List<Meter>> meters = new HashMap<>();

        LoopMeters(MeterRegistry registry) {
            this.registry = registry;
        }

        @Override
        public void onStarted(IoLoop loop, String name) {
            loop.takeSamples();
            Tags own = tags.and("loop", name);
            List<Meter> made = new ArrayList<>();
            for (LoopMeter meter : LoopMeter.values()) {
                made.add(register(loop, meter, own));
            }
            meters.put(loop, made);
        }

        private Meter register(IoLoop loop, LoopMeter meter, Tags own) {
            String unit = meter.unit().isEmpty() ? null : meter.unit();
            Tags tagged = meter.reason().isEmpty() ? own : own.and("reason", meter.reason());
            return meter.isCounter()
                    ? FunctionCounter.builder(meter.title(), loop, measured -> measured.value(meter))
                            .description(meter.description())
                            .baseUnit(unit)
                            .tags(tagged)
                            .register(registry)
                    : Gauge.builder(meter.title(), loop, measured -> measured.value(meter))
                            .description(meter.description())
                            .baseUnit(unit)
                            .tags(own)
                            .register(registry);
        }

        @Override
        public void onEnded(IoLoop loop) {
            List<Meter> made = meters.remove(loop);
            if (made != null) {
                made.forEach(registry::remove);
            }
        }
    }
}
