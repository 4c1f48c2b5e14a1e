// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.lang.ref.Reference;

/**
 * One of the two work queues of a queue pair, and the memory that hands its requests to C, which each post uses again.
 * The two queues have a memory each, so a Send and a receive can be posted at the same time.
 *
 * <p>Threading: the event loop's.
 */
final class NativeWorkQueue {

    /** The id of {@link #announce announcements}, which no channel gives to a request. */
    static final long ANNOUNCEMENT = -1;

    private static final int MIN_REQUEST_BYTES = 4096;

    private final String name;
    private final boolean sends;
    private final boolean splits;
    private final long function;
    private final long queuePair;
    private final NativeMemory badRequest = new NativeMemory(Long.BYTES);
    private NativeMemory requests = new NativeMemory(MIN_REQUEST_BYTES);

    private NativeWorkQueue(boolean sends, NativeContext device, long queuePair) {
        this.sends = sends;
        name = sends ? "ibv_post_send" : "ibv_post_recv";
        function = sends ? device.postSend() : device.postRecv();
        splits = device.isSiw();
        this.queuePair = queuePair;
    }

    /** @param queuePair {@code struct ibv_qp *} */
    static NativeWorkQueue ofSends(NativeContext device, long queuePair) {
        return new NativeWorkQueue(true, device, queuePair);
    }

    /** @param queuePair {@code struct ibv_qp *} */
    static NativeWorkQueue ofReceives(NativeContext device, long queuePair) {
        return new NativeWorkQueue(false, device, queuePair);
    }

    void post(WorkRequestBatch batch) throws IOException {
        if (batch.size() == 0) {
            return;
        }
        if (sends) {
            NativeMemory memory = room(WorkRequestEncoder.sendBytes(batch, splits));
            WorkRequestEncoder.encodeSends(batch, memory.octets(), memory.address(), splits);
            call(memory);
        } else {
            NativeMemory memory = room(WorkRequestEncoder.receiveBytes(batch));
            WorkRequestEncoder.encodeReceives(batch, memory.octets(), memory.address());
            call(memory);
        }
    }

    /** Posts an empty RDMA Write that is not signalled. */
    void announce() throws IOException {
        NativeMemory request = room(VerbsLayout.IBV_SEND_WR_BYTES);
        for (int i = 0; i < VerbsLayout.IBV_SEND_WR_BYTES; i += Long.BYTES) {
            request.octets().putLong(i, 0);
        }
        request.octets()
                .putLong(VerbsLayout.IBV_SEND_WR_WR_ID, ANNOUNCEMENT)
                .putInt(VerbsLayout.IBV_SEND_WR_OPCODE, VerbsConstants.WR_RDMA_WRITE);
        call(request);
    }

    private NativeMemory room(int bytes) {
        if (requests.bytes() < bytes) {
            requests = new NativeMemory(Integer.highestOneBit(bytes - 1) << 1);
        }
        return requests;
    }

    private void call(NativeMemory memory) throws IOException {
        int result;
        try {
            result = (int) VerbsLibrary.POST.invokeExact(function, queuePair, memory.address(), badRequest.address());
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        } finally {
            Reference.reachabilityFence(memory);
            Reference.reachabilityFence(badRequest);
        }
        if (result == -1) { // siw gives no other number for a queue pair in error
            throw new QueuePairInErrorException(name + ": the queue pair is in error, its connection is over");
        } else if (result != 0) {
            throw VerbsLibrary.failure(name, result);
        }
    }
}
