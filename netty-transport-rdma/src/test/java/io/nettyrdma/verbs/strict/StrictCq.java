// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue that delivers completions when it likes, within what {@link Trait#COMPLETIONS_SHUFFLED} and {@link
 * Trait#READS_LATE} say.
 *
 * <p>Threading: that of the loop.
 */
final class StrictCq extends IbvCQ implements CompletionHandler {

    private final StrictDevice device;
    private final IbvCQ kind;
    private final CompletionPoller poller;
    private final Map<Integer, StrictQp> queuePairs = new HashMap<>();
    private final List<CompletionLine> lines = new ArrayList<>();
    private final List<CompletionLine> due = new ArrayList<>();
    private Random random;
    private @Nullable StrictEventChannel events;
    private long completions;
    private boolean overrun;

    StrictCq(
            StrictDevice device,
            StrictContext context,
            @Nullable StrictCompChannel completions,
            IbvCQ kind,
            int entries)
            throws IOException {
        super(context, completions, device.nextHandle());
        this.device = device;
        this.kind = kind;
        cqe = entries;
        random = new Random(entries);
        poller = device.kind().poller(kind);
    }

    IbvCQ kind() {
        return kind;
    }

    Random random() {
        return random;
    }

    void attachedTo(StrictEventChannel channel) {
        events = channel;
        random = channel.random();
    }

    /** The same lock for all that is driven by one event channel. */
    private <T> T locked(Calls.Call<T> call) throws IOException {
        StrictEventChannel channel = events;
        return channel == null ? call.make() : channel.locked(call);
    }

    void add(StrictQp qp, int kindNumber, CompletionLine... ofIt) {
        queuePairs.put(kindNumber, qp);
        lines.addAll(List.of(ofIt));
    }

    /** The queue pair is destroyed, and its completions with it. */
    void remove(StrictQp qp) {
        queuePairs.values().remove(qp);
        lines.removeIf(line -> line.qp == qp);
    }

    long nextNumber() {
        return completions++;
    }

    /** Whether there is something that later polls will see without anything else happening. */
    boolean isHolding() {
        for (CompletionLine line : lines) {
            if (!line.isParked()) {
                return true;
            }
        }
        return false;
    }

    /** Takes what the provider has. */
    void fetch() throws IOException {
        while (poller.poll(this) == CompletionPoller.BATCH) {}
    }

    @Override
    public void onCompletion(long id, int status, int opcode, int bytes, int immediate, int queuePair, int flags) {
        StrictQp qp = queuePairs.get(queuePair);
        if (qp != null) {
            qp.completed(new Completion.Fields(id, status, opcode, bytes, immediate, queuePair, flags), this);
        }
    }

    @Override
    public SVCPollCq poll(IbvWC[] out, int max) {
        return new SVCPollCq() {
            private int polls;

            @Override
            public SVCPollCq execute() throws IOException {
                polls = device.calls().make(Verb.POLL, () -> locked(() -> take(out, Math.min(max, out.length))));
                return this;
            }

            @Override
            public int getPolls() {
                return polls;
            }

            @Override
            public boolean isValid() {
                return isOpen();
            }

            @Override
            public SVCPollCq free() {
                return this;
            }
        };
    }

    private int take(IbvWC[] out, int max) throws IOException {
        fetch();
        checkOverrun();
        int count = 0;
        while (count < max) {
            CompletionLine line = next();
            if (line == null) {
                for (CompletionLine held : lines) {
                    Completion first = held.waiting.peek();
                    if (first != null) {
                        first.heldFor--;
                    }
                }
                break;
            }
            Completion completion = line.waiting.remove();
            completion.deliver();
            if (completion.isVisible()) {
                line.qp.delivered(line, completion);
                completion.to(out[count++], device.has(Trait.FAILED_FIELDS_UNDEFINED), random);
            }
        }
        return count;
    }

    private @Nullable CompletionLine next() {
        due.clear();
        CompletionLine oldest = null;
        for (CompletionLine line : lines) {
            if (line.isDue()) {
                due.add(line);
                if (oldest == null || line.waiting.element().number < oldest.waiting.element().number) {
                    oldest = line;
                }
            }
        }
        return due.isEmpty() || !device.has(Trait.COMPLETIONS_SHUFFLED) ? oldest : due.get(random.nextInt(due.size()));
    }

    private void checkOverrun() throws IOException {
        int entries = 0;
        for (CompletionLine line : lines) {
            for (Completion completion : line.waiting) {
                entries += completion.isVisible() && !line.qp.isParked(completion) ? 1 : 0;
            }
        }
        if (entries > cqe && !overrun) {
            overrun = true;
            device.violation("a completion queue of " + cqe + " entries was overrun by " + entries + " completions");
        }
        if (overrun) {
            throw new IOException("ibv_poll_cq: the completion queue was overrun");
        }
    }

    @Override
    public SVCReqNotify reqNotification(boolean solicitedOnly) throws IOException {
        SVCReqNotify below = kind.reqNotification(solicitedOnly);
        return new SVCReqNotify() {
            @Override
            public SVCReqNotify execute() throws IOException {
                return device.calls()
                        .make(
                                Verb.ARM,
                                () -> locked(() -> {
                                    below.execute();
                                    return this;
                                }));
            }

            @Override
            public boolean isValid() {
                return below.isValid();
            }

            @Override
            public SVCReqNotify free() {
                below.free();
                return this;
            }
        };
    }

    @Override
    public int ackEvents(int events) {
        return 0;
    }

    @Override
    public int destroyCQ() throws IOException {
        return device.calls().make(Verb.DESTROY_COMPLETION_QUEUE, () -> {
            poller.free();
            int result = kind.destroyCQ();
            close();
            return result;
        });
    }
}
