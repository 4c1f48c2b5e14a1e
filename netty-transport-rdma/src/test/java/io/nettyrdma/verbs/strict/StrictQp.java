// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC.IbvWcOpcode;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * A queue pair. The provider below is asked to signal every request, so that it is known when an RDMA Read is done;
 * what the program did not ask for it does not see.
 *
 * <p>Threading: that of the loop.
 */
final class StrictQp extends IbvQP {

    private static final int RECEIVED = IbvWcOpcode.IBV_WC_RECV.getOpcode();
    private static final int READ = IbvWcOpcode.IBV_WC_RDMA_READ.getOpcode();
    private static final int FLUSHED = IbvWcStatus.IBV_WC_WR_FLUSH_ERR.ordinal();
    private static final int LOCAL_PROTECTION = IbvWcStatus.IBV_WC_LOC_PROT_ERR.ordinal();
    /** A key that no region has. */
    private static final int NO_KEY = 0;

    private static final int LONGEST_HOLD = 4;
    private static final int LONGEST_HOLD_OF_READ = 8;

    private final StrictDevice device;
    private final StrictCmId id;
    private final IbvQP kind;
    private final StrictPd domain;
    private final StrictCq sendQueue;
    private final StrictCq receiveQueue;
    private final boolean signalAll;
    private final Statuses statuses;
    private final ArrayDeque<PostedRequest> sends = new ArrayDeque<>();
    private final Map<Long, PostedRequest> receives = new HashMap<>();
    private final CompletionLine sent = new CompletionLine(this, false);
    private final CompletionLine read = new CompletionLine(this, true);
    private final CompletionLine received = new CompletionLine(this, false);
    private long numbers;
    private boolean failed;
    private boolean noMoreComes;
    private volatile boolean destructionBegun;

    StrictQp(
            StrictDevice device,
            StrictCmId id,
            IbvQP kind,
            StrictPd domain,
            StrictCq sendQueue,
            StrictCq receiveQueue,
            boolean signalAll)
            throws IOException {
        super(kind.getQp_num());
        this.device = device;
        this.id = id;
        this.kind = kind;
        this.domain = domain;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
        this.signalAll = signalAll;
        statuses = new Statuses(device, id);
        pd = domain;
        context = domain.getContext();
        send_cq = sendQueue;
        recv_cq = receiveQueue;
        handle = device.nextHandle();
        qp_type = IBV_QPT_RC;
        sendQueue.add(this, kind.getQp_num(), sent, read);
        receiveQueue.add(this, kind.getQp_num(), received);
    }

    StrictCmId id() {
        return id;
    }

    IbvQP kind() {
        return kind;
    }

    @Override
    public int getState() {
        return kind.getState();
    }

    /** The program has called for the destruction: from now on a post may reach memory that is free. */
    void beginDestruction() {
        destructionBegun = true;
    }

    private void checkExists(String what) {
        if (destructionBegun) {
            device.violation(what + " of a queue pair that is being destroyed");
        }
    }

    void postSends(WorkRequestBatch requests) throws IOException {
        checkExists("ibv_post_send");
        if (device.has(Trait.POSTS_REFUSED_IN_ERROR) && kind.getState() == IBV_QPS_ERR) {
            throw new QueuePairInErrorException("ibv_post_send: the queue pair is in error, its connection is over");
        }
        WorkRequestBatch below = new WorkRequestBatch(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest r = requests.get(i);
            boolean signalled = signalAll || (r.flags() & IbvSendWR.IBV_SEND_SIGNALED) != 0;
            PostedRequest posted = new PostedRequest(numbers++, r.id(), signalled);
            boolean reads = r.opcode() == IbvSendWR.IBV_WR_RDMA_READ;
            WorkRequest copy = below.add()
                    .send(posted.number, r.opcode(), r.flags() | IbvSendWR.IBV_SEND_SIGNALED)
                    .remote(r.remoteKey(), r.remoteAddress());
            addMemory(r, copy, posted, reads);
            if (reads && r.lengthBytes() > 0 && !posted.wrong && device.has(Trait.READS_LATE)) {
                lateSink(posted, r);
            }
            sends.add(posted);
        }
        device.kind().postBatch(kind, below);
    }

    /** Copies what is said of this side's memory; a wrong key becomes one that the provider finds wrong too. */
    private void addMemory(WorkRequest from, WorkRequest to, PostedRequest posted, boolean written) {
        if (from.lengthBytes() == 0) {
            return;
        }
        int key = from.localKey();
        StrictMr region = device.regions().get(key);
        if (region != null) {
            posted.uses(region);
        }
        if (device.has(Trait.KEYS_CHECKED)
                && (region == null || !region.allows(domain, from.localAddress(), from.lengthBytes(), written))) {
            posted.wrong = true;
            key = NO_KEY;
        }
        to.local(from.localAddress(), from.lengthBytes(), key);
    }

    private void lateSink(PostedRequest posted, WorkRequest request) {
        StrictMr region = device.regions().get(request.localKey());
        if (region != null && region.allows(domain, request.localAddress(), request.lengthBytes(), true)) {
            posted.sink = region;
            posted.sinkAddress = request.localAddress();
            posted.sinkBytes = request.lengthBytes();
            region.spoil(posted.sinkAddress, posted.sinkBytes, sendQueue.random());
        }
    }

    void postReceives(WorkRequestBatch requests) throws IOException {
        checkExists("ibv_post_recv");
        WorkRequestBatch below = new WorkRequestBatch(requests.size());
        boolean wrong = false;
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest r = requests.get(i);
            PostedRequest posted = new PostedRequest(numbers++, r.id(), true);
            addMemory(r, below.add().receive(posted.number), posted, true);
            receives.put(posted.number, posted);
            wrong |= posted.wrong;
        }
        if (device.has(Trait.LATE_RECEIVES_STAY) && kind.getState() == IBV_QPS_ERR) {
            return;
        }
        device.kind().postReceives(kind, below);
        if (wrong) {
            failed = true;
            device.kind().toError(kind);
        }
    }

    /** The provider is done with a request. */
    void completed(Completion.Fields wc, StrictCq queue) {
        if (wc.opcode() == RECEIVED) {
            PostedRequest posted = receives.remove(wc.id());
            if (posted != null) {
                int status = posted.wrong && wc.status() == FLUSHED ? LOCAL_PROTECTION : wc.status();
                arrive(new Completion(posted, queue.nextNumber(), wc, statuses.ofReceive(status)), received, queue);
            }
            return;
        }
        PostedRequest posted = sends.poll();
        while (posted != null && posted.number != wc.id()) {
            posted.done(); // its post was refused
            posted = sends.poll();
        }
        if (posted == null) {
            return;
        }
        Completion completion = new Completion(posted, queue.nextNumber(), wc, statuses.ofSend(wc.status()));
        if (completion.status == 0 && wc.opcode() == READ && device.has(Trait.READS_LATE)) {
            completion.holdBack(queue.random());
            completion.heldFor = 1 + queue.random().nextInt(LONGEST_HOLD_OF_READ);
            read.waiting.add(completion);
            return;
        }
        if (completion.status != 0) {
            sent.waiting.addAll(read.waiting); // those before it have not failed
            read.waiting.clear();
        }
        if (completion.isVisible()) {
            arrive(completion, sent, queue);
        } else {
            completion.deliver();
        }
    }

    private void arrive(Completion completion, CompletionLine line, StrictCq queue) {
        Random random = queue.random();
        if (device.has(Trait.COMPLETIONS_SHUFFLED) && !noMoreComes && random.nextInt(4) == 0) {
            completion.heldFor = 1 + random.nextInt(LONGEST_HOLD);
        }
        failed |= completion.status != 0 && completion.status != FLUSHED;
        line.waiting.add(completion);
    }

    /** The program sees a message. */
    void delivered(CompletionLine line, Completion completion) {
        if (line == received && completion.status == 0) {
            id.received();
        }
    }

    /** Whether a completion waits for this side to end the connection. */
    boolean isParked(Completion completion) {
        return completion.status == FLUSHED
                && device.has(Trait.FLUSHED_BY_OWN_DISCONNECT)
                && !failed
                && !id.isDisconnected();
    }

    /** Whether Sends and Writes are there, before or behind the Reads. */
    boolean hasOtherSends() {
        return !sent.waiting.isEmpty() && !sent.isParked();
    }

    /** The end of the connection is about to be seen: what completed before it is there by now, but for late Reads. */
    void othersAreIn() {
        noMoreComes = true;
        received.waiting.forEach(completion -> completion.heldFor = 0);
        sent.waiting.forEach(completion -> completion.heldFor = 0);
    }

    /** The queue pair is no more, and nobody touches memory any more. */
    void destroyed() {
        close();
        sends.forEach(PostedRequest::done);
        receives.values().forEach(PostedRequest::done);
        for (CompletionLine line : new CompletionLine[] {sent, read, received}) {
            line.waiting.forEach(Completion::deliver);
        }
        sendQueue.remove(this);
        receiveQueue.remove(this);
    }
}
