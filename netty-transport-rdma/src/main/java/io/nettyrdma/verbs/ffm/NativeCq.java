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
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import io.nettyrdma.verbs.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue, polled in user space.
 *
 * <p>Threading: polled by one thread at a time; armed, and told of events, by any.
 */
final class NativeCq extends IbvCQ {

    /** Completions fetched by one call. */
    private static final int BATCH = 32;

    /** Events acknowledged at once: each acknowledgement takes a lock in C. */
    private static final int ACKNOWLEDGED_AT_ONCE = 256;

    /** The kernel's number for {@code IBV_WC_WITH_INV}, which rxe lets through; it means nothing else here. */
    private static final int KERNEL_WITH_INVALIDATE = 4;

    /** A bit of the opcodes of receives. */
    private static final int OPCODE_RECEIVE = 1 << 7;

    private final long pointer;
    private final NativeContext device;
    private final @Nullable NativeCompChannel completions;
    private final NativeMemory polled = new NativeMemory(BATCH * VerbsLayout.IBV_WC_BYTES);
    private final FirstMessages firstMessages = new FirstMessages();

    private final AtomicInteger unacknowledged = new AtomicInteger();
    /** Why it does not work any more. */
    private volatile @Nullable String failure;

    private NativeCq(NativeContext device, @Nullable NativeCompChannel completions, long pointer) throws IOException {
        super(device, completions, 0);
        this.pointer = pointer;
        this.device = device;
        this.completions = completions;
        cqe = Foreign.get().at(pointer, VerbsLayout.IBV_CQ_BYTES).getInt(VerbsLayout.IBV_CQ_CQE);
    }

    /** @param vector of the device's interrupts */
    static NativeCq create(NativeContext device, @Nullable NativeCompChannel completions, int entries, int vector)
            throws IOException {
        int max = device.limits().maxCompletions();
        if (entries < 1 || entries > max) {
            throw new IOException(
                    "completion queue entries: " + entries + " (expected: 1 to " + max + " on " + device + ')');
        }
        long channel = completions == null ? 0 : completions.pointer();
        long pointer;
        try {
            pointer = VerbsLibrary.pointer("ibv_create_cq of " + entries + " entries", () ->
                    (long) VerbsLibrary.IBV_CREATE_CQ.invokeExact(device.pointer(), entries, 0L, channel, vector));
        } catch (NativeFailure e) {
            throw LockedMemory.explained(e);
        }
        LayoutCheck.orUndo(
                () -> LayoutCheck.completionQueue(
                        Foreign.get().at(pointer, VerbsLayout.IBV_CQ_BYTES), device.pointer(), channel),
                () -> destroy(pointer));
        NativeCq queue = new NativeCq(device, completions, pointer);
        if (completions != null) {
            completions.add(queue);
        }
        device.asyncEvents().watch(pointer, (what, peerMayHaveClosed) -> queue.fail(what));
        return queue;
    }

    long pointer() {
        return pointer;
    }

    NativeContext device() {
        return device;
    }

    @Nullable
    NativeCompChannel completions() {
        return completions;
    }

    /** It does not work any more, which whoever polls it is told. Any thread. */
    void fail(String reason) {
        if (failure == null) {
            failure = reason;
        }
        if (completions != null) {
            completions.wakeup();
        }
    }

    private void checkFailure() throws IOException {
        String reason = failure;
        if (reason != null) {
            throw new IOException(reason);
        }
    }

    /** Takes up to {@code max} completions; returns how many there were. */
    int take(IbvWC[] out, int max) throws IOException {
        checkFailure();
        int wanted = Math.min(max, out.length);
        int taken = 0;
        int count;
        do {
            int asked = Math.min(BATCH, wanted - taken);
            try {
                count = (int) VerbsLibrary.POLL_CQ.invokeExact(device.pollCq(), pointer, asked, polled.address());
            } catch (Throwable e) {
                throw VerbsLibrary.unexpected(e);
            }
            if (count < 0) {
                throw VerbsLibrary.failure("ibv_poll_cq", count);
            }
            for (int i = 0; i < count; i++) {
                int at = i * VerbsLayout.IBV_WC_BYTES;
                if (polled.octets().getLong(at + VerbsLayout.IBV_WC_WR_ID) != NativeQp.ANNOUNCEMENT) {
                    read(polled.octets(), at, out[taken++]);
                }
            }
        } while (count == BATCH && taken < wanted);
        return taken;
    }

    private void read(ByteBuffer in, int at, IbvWC out) {
        int flags = in.getInt(at + VerbsLayout.IBV_WC_WC_FLAGS);
        int status = in.getInt(at + VerbsLayout.IBV_WC_STATUS);
        out.setWr_id(in.getLong(at + VerbsLayout.IBV_WC_WR_ID));
        out.setStatus(status);
        out.setErr(status);
        out.setOpcode(in.getInt(at + VerbsLayout.IBV_WC_OPCODE));
        out.setVendor_err(in.getInt(at + VerbsLayout.IBV_WC_VENDOR_ERR));
        out.setByte_len(in.getInt(at + VerbsLayout.IBV_WC_BYTE_LEN));
        out.setImm_data(in.getInt(at + VerbsLayout.IBV_WC_INVALIDATED_RKEY));
        out.setQp_num(in.getInt(at + VerbsLayout.IBV_WC_QP_NUM));
        out.setSrc_qp(in.getInt(at + VerbsLayout.IBV_WC_SRC_QP));
        if (status == 0 && (out.getOpcode() & OPCODE_RECEIVE) != 0) {
            firstMessages.onReceived(out.getQp_num());
        }
        out.setWc_flags((flags & KERNEL_WITH_INVALIDATE) == 0 ? flags : flags | VerbsConstants.WC_WITH_INV);
    }

    /** Those of its queue pairs that receive here. */
    FirstMessages firstMessages() {
        return firstMessages;
    }

    /** Asks for one event at the next completion. */
    void arm(boolean solicitedOnly) throws IOException {
        int result;
        try {
            result = (int) VerbsLibrary.REQ_NOTIFY_CQ.invokeExact(device.reqNotifyCq(), pointer, solicitedOnly ? 1 : 0);
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (result != 0) {
            throw VerbsLibrary.failure("ibv_req_notify_cq", result);
        }
    }

    /** An event was taken, and has to be acknowledged before the queue can be destroyed. */
    void onEvent() {
        if (unacknowledged.incrementAndGet() >= ACKNOWLEDGED_AT_ONCE) {
            acknowledge();
        }
    }

    private void acknowledge() {
        int events = unacknowledged.getAndSet(0);
        if (events > 0) {
            VerbsLibrary.call(() -> {
                VerbsLibrary.IBV_ACK_CQ_EVENTS.invokeExact(pointer, events);
            });
        }
    }

    /** Idempotent. */
    void destroy() throws IOException {
        if (isOpen()) {
            acknowledge();
            device.asyncEvents().unwatch(pointer);
            destroy(pointer);
            if (completions != null) {
                completions.remove(this);
            }
            close();
        }
    }

    private static void destroy(long pointer) throws IOException {
        VerbsLibrary.succeed("ibv_destroy_cq", () -> (int) VerbsLibrary.IBV_DESTROY_CQ.invokeExact(pointer));
    }
}
