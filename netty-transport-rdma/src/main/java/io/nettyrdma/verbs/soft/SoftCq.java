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

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import io.nettyrdma.verbs.VerbsConstants;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Completion queue: a ring of completions, kept field by field so that nothing is allocated per completion, and grown
 * to its depth only as far as it is used.
 *
 * <p>An overrun is fatal for the queue pair whose completion no longer fits: it goes to error. That completion and
 * those of its flush are delivered all the same, the ring growing beyond its depth for them, so that every posted
 * request still completes exactly once; other queue pairs are not affected (RFC 5040, section 8.1.1, rule 10).
 *
 * <p>Threading: confined to the thread of the event channel of its queue pairs; {@link ReactorCq} is the one for many
 * threads.
 */
class SoftCq extends IbvCQ implements CompletionSink {

    private static final int INITIAL_CAPACITY = 16;
    /** What is kept for good: about 150 kB. Beyond that, the ring shrinks when it was used for a quarter at most. */
    static final int KEPT_CAPACITY = 4096;

    private enum Armed {
        NO,
        SOLICITED,
        ANY
    }

    private final SoftDevice device;
    private final @Nullable SoftCompChannel completions;
    private final int depth;
    private long[] id = new long[INITIAL_CAPACITY];
    private int[] status = new int[INITIAL_CAPACITY];
    private int[] opcode = new int[INITIAL_CAPACITY];
    private int[] bytes = new int[INITIAL_CAPACITY];
    private int[] immediate = new int[INITIAL_CAPACITY];
    private int[] queuePair = new int[INITIAL_CAPACITY];
    private int[] flags = new int[INITIAL_CAPACITY];
    private int head;
    private int size;
    /** Most completions at once since the queue was last empty. */
    private int peak;

    private Armed armed = Armed.NO;
    private int queuePairs;
    private @Nullable SoftEventChannel events;
    private @Nullable SoftEventChannel attachedTo;
    private boolean fired;

    SoftCq(SoftContext context, @Nullable SoftCompChannel completions, int depth) throws IOException {
        super(context, completions, context.device().nextHandle());
        device = context.device();
        this.completions = completions;
        this.depth = depth;
        cqe = depth;
    }

    SoftDevice device() {
        return device;
    }

    @Nullable
    SoftCompChannel completions() {
        return completions;
    }

    /** Whether one thread does everything with it. */
    boolean isConfined() {
        return true;
    }

    void addQueuePair(SoftEventChannel channel) throws IOException {
        if (isConfined() != (channel.reactor() == null)) {
            throw new IOException(
                    "completion queue and id are of different modes; create the queue with the context that"
                            + " RdmaCmId.getVerbs() of the id returns");
        }
        if (queuePairs > 0 && events != channel) {
            // Two event channels would mean two threads, and this ring has no lock.
            throw new IOException("the queue pairs of a completion queue have to share one event channel");
        }
        events = channel;
        queuePairs++;
    }

    void removeQueuePair() {
        queuePairs--;
    }

    /** Ends its use; false if that was done before. */
    boolean destroy() throws IOException {
        if (queuePairs > 0) {
            throw new IOException("completion queue is in use by queue pairs");
        }
        if (!isOpen()) {
            return false;
        }
        close();
        return true;
    }

    /** Lets completion events end the waits of {@code channel} instead of going to the completion channel. */
    void attachTo(@Nullable SoftEventChannel channel) {
        attachedTo = channel;
        fired = false;
    }

    @Nullable
    SoftEventChannel attachedTo() {
        return attachedTo;
    }

    /** Takes and acknowledges the events since the last time, while attached. */
    boolean takeEvents() {
        boolean any = fired;
        fired = false;
        return any;
    }

    void arm(boolean solicitedOnly) {
        // An arming for any completion is not weakened by a later one for solicited ones.
        armed = solicitedOnly && armed != Armed.ANY ? Armed.SOLICITED : Armed.ANY;
    }

    @Override
    public boolean push(
            long wrId, int wcStatus, int wcOpcode, int byteCount, int immData, int qpNum, int wcFlags, boolean event) {
        if (size == id.length) {
            resize(id.length * 2);
        }
        int i = head + size & id.length - 1;
        id[i] = wrId;
        status[i] = wcStatus;
        opcode[i] = wcOpcode;
        bytes[i] = byteCount;
        immediate[i] = immData;
        queuePair[i] = qpNum;
        flags[i] = wcFlags;
        peak = Math.max(peak, ++size);
        appended();
        if (armed == Armed.ANY || armed == Armed.SOLICITED && (event || wcStatus != VerbsConstants.WC_SUCCESS)) {
            armed = Armed.NO;
            if (attachedTo != null) {
                fired = true;
            } else if (completions != null) {
                completions.fire(this);
            }
        }
        return size <= depth;
    }

    /** A completion is in the queue, and nobody was told yet. */
    void appended() {}

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Completions that the ring can hold without growing. */
    int capacity() {
        return id.length;
    }

    int take(IbvWC[] completionsOut, int max) {
        int n = Math.min(Math.min(size, max), completionsOut.length);
        for (int k = 0; k < n; k++) {
            int i = head;
            IbvWC wc = completionsOut[k];
            wc.setWr_id(id[i]);
            wc.setStatus(status[i]);
            wc.setErr(status[i]);
            wc.setOpcode(opcode[i]);
            wc.setByte_len(bytes[i]);
            wc.setImm_data(immediate[i]);
            wc.setQp_num(queuePair[i]);
            wc.setWc_flags(flags[i]);
            wc.setVendor_err(0);
            wc.setSrc_qp(0);
            head = i + 1 & id.length - 1;
        }
        size -= n;
        if (n > 0 && size == 0) {
            if (id.length > KEPT_CAPACITY && peak <= id.length / 4) {
                resize(id.length / 2); // a burst that peers caused is over
            }
            peak = 0;
        }
        return n;
    }

    /** Copies the ring as far as the new capacity goes. */
    private void resize(int next) {
        id = unroll(id, next);
        status = unroll(status, next);
        opcode = unroll(opcode, next);
        bytes = unroll(bytes, next);
        immediate = unroll(immediate, next);
        queuePair = unroll(queuePair, next);
        flags = unroll(flags, next);
        head = 0;
    }

    private int[] unroll(int[] ring, int capacity) {
        int[] next = new int[capacity];
        int first = Math.min(size, ring.length - head);
        System.arraycopy(ring, head, next, 0, first);
        System.arraycopy(ring, 0, next, first, size - first);
        return next;
    }

    private long[] unroll(long[] ring, int capacity) {
        long[] next = new long[capacity];
        int first = Math.min(size, ring.length - head);
        System.arraycopy(ring, head, next, 0, first);
        System.arraycopy(ring, 0, next, first, size - first);
        return next;
    }
}
