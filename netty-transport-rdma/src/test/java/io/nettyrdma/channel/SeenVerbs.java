// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaCmEvent;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider whose channels are looked at: what they post, and what they are told. */
final class SeenVerbs {

    /** RDMA Writes without bytes. */
    final BlockingQueue<WorkRequest> emptyWrites = new LinkedBlockingQueue<>();

    /** Options that were set below connections, such as {@code "IP_TOS=8"}. */
    final Queue<String> socketOptions = new ConcurrentLinkedQueue<>();

    /** Private data that came with requests and replies. */
    final Queue<byte[]> privateData = new ConcurrentLinkedQueue<>();

    /** Connection requests that have reached a listener. */
    final AtomicInteger requests = new AtomicInteger();

    /** Most bytes that the RDMA Writes of one batch have. */
    final AtomicInteger mostBytesOfABatch = new AtomicInteger();

    final VerbsExtensions verbs;

    SeenVerbs(VerbsExtensions behind) {
        verbs = InterceptedVerbs.before(behind, (method, arguments, real) -> {
            if (method.getName().equals("postBatch")) {
                see((WorkRequestBatch) arguments[1]);
            } else if (method.getName().equals("setSocketOption")) {
                socketOptions.add(arguments[1] + "=" + arguments[2]);
            }
            Object result = real.make();
            if (result instanceof ConnectionParameters parameters) {
                privateData.add(parameters.privateData());
            } else if (result instanceof RdmaCmEvent event && event.getEvent() == VerbsConstants.CM_CONNECT_REQUEST) {
                requests.incrementAndGet();
            }
            return result;
        });
    }

    private void see(WorkRequestBatch batch) {
        int bytes = 0;
        for (int i = 0; i < batch.size(); i++) {
            WorkRequest request = batch.get(i);
            if (request.opcode() == IbvSendWR.IBV_WR_RDMA_WRITE && request.lengthBytes() == 0) {
                emptyWrites.add(request);
            } else if (request.opcode() == IbvSendWR.IBV_WR_RDMA_WRITE) {
                bytes += request.lengthBytes();
            }
        }
        mostBytesOfABatch.accumulateAndGet(bytes, Math::max);
    }

    void awaitEmptyWrite() throws InterruptedException {
        if (emptyWrites.poll(Deadline.SECONDS, TimeUnit.SECONDS) == null) {
            throw new AssertionError("no empty Write within " + Deadline.SECONDS + " s");
        }
    }
}
