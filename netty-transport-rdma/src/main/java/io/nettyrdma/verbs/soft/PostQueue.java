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

import io.nettyrdma.verbs.soft.rdmap.PostTarget;
import io.nettyrdma.verbs.soft.rdmap.ReceiveRing;
import io.nettyrdma.verbs.soft.rdmap.SendRing;
import io.nettyrdma.verbs.soft.rdmap.SubmissionQueue;
import io.nettyrdma.verbs.soft.rdmap.WorkQueues;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work requests on their way from the threads that post them to the reactor. Everything that a post can be refused for
 * is found here, so that a request once taken completes exactly once.
 *
 * <p>Threading: any thread posts, the reactor takes, under this object's monitor: posts of several threads must not mix
 * their scatter-gather entries, and the rings grow. It is held for copying some words per request, never while octets
 * are moved. The counts of slots are lowered by the reactor without it. Ownership: belongs to the queue pair.
 */
final class PostQueue implements PostTarget, SubmissionQueue, Runnable {

    private final VerbThread reactor;
    private final QueuePairHost host;
    private final WorkQueues queues;
    private final SendRing sends;
    private final ReceiveRing receives;
    /** Requests posted and not done, here or in the queue pair. */
    private final AtomicInteger usedSends = new AtomicInteger();

    private final AtomicInteger usedReceives = new AtomicInteger();
    /** Whether the reactor knows that there is something to take. */
    private boolean queued;

    private boolean closed;

    PostQueue(VerbThread reactor, QueuePairHost host, WorkQueues queues) {
        this.reactor = reactor;
        this.host = host;
        this.queues = queues;
        sends = new SendRing(queues.sends().depth(), queues.sends().maxSge());
        receives = new ReceiveRing(queues.receives().depth(), queues.receives().maxSge());
    }

    /** Posts and lets the reactor know. What precedes a refused request is posted. */
    void post(Posting posting) throws IOException {
        boolean tell = false;
        try {
            synchronized (this) {
                try {
                    posting.to(this);
                } finally {
                    tell = !queued && (sends.hasNext() || !receives.isEmpty());
                    queued |= tell;
                }
            }
        } finally {
            if (tell) {
                reactor.execute(this);
            }
        }
    }

    private void checkOpen() throws IOException {
        assert Thread.holdsLock(this);
        if (closed) {
            throw new IOException("queue pair is destroyed");
        }
        if (reactor.isEnded()) {
            throw new IOException("event channel is destroyed");
        }
    }

    @Override
    public void beginSend(long wrId, int opcode, int flags, int sgeCount, int remoteKey, long remoteAddress)
            throws IOException {
        checkOpen();
        queues.checkSend(opcode, sgeCount);
        if (usedSends.get() == sends.depth()) {
            throw queues.sendQueueFull();
        }
        sends.beginSend(wrId, opcode, flags, remoteKey, remoteAddress);
    }

    @Override
    public void addSendSge(long address, int lengthBytes, int key) throws IOException {
        WorkQueues.checkLength(lengthBytes);
        sends.addSge(address, lengthBytes, key);
    }

    @Override
    public void commitSend() throws IOException {
        WorkQueues.checkMessage(sends);
        usedSends.incrementAndGet();
        sends.commit();
    }

    @Override
    public void beginReceive(long wrId, int sgeCount) throws IOException {
        checkOpen();
        queues.checkReceive(sgeCount);
        if (usedReceives.get() == receives.depth()) {
            throw queues.receiveQueueFull();
        }
        receives.beginReceive(wrId);
    }

    @Override
    public void addReceiveSge(long address, int lengthBytes, int key) throws IOException {
        WorkQueues.checkLength(lengthBytes);
        receives.addSge(address, lengthBytes, key);
    }

    @Override
    public void commitReceive() {
        usedReceives.incrementAndGet();
        receives.commit();
    }

    @Override
    public void onSendDone() {
        usedSends.decrementAndGet();
    }

    @Override
    public void onReceiveDone() {
        usedReceives.decrementAndGet();
    }

    /** The reactor's turn to take what was posted. */
    @Override
    public void run() {
        boolean sent;
        synchronized (this) {
            sent = take();
        }
        if (queues.isInError()) {
            queues.flush();
            return;
        }
        host.onReceivePosted();
        if (sent) {
            host.onSendPosted();
        }
    }

    /**
     * Takes the receives ahead of the reactor's turn. A Send of the peer may be read before that, although the receive
     * was posted first.
     */
    @Override
    public synchronized void takeReceives() {
        while (!receives.isEmpty()) {
            receives.moveHeadTo(queues.receives());
        }
    }

    private boolean take() {
        queued = false;
        takeReceives();
        boolean any = sends.hasNext();
        while (sends.hasNext()) {
            sends.moveHeadTo(queues.sends());
        }
        return any;
    }

    /** Refuses posts from now on; what was posted is in the queue pair afterwards. For the reactor. */
    synchronized void close() {
        closed = true;
        take();
    }
}
