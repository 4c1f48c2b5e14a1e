// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.rdmap.WorkQueues;

/** What a queue pair asks of the identifier it belongs to, whether that has a connection yet or not. */
interface QueuePairHost {

    /** Something was posted to the send queue. */
    void onSendPosted();

    /** Something was posted to the receive queue. */
    void onReceivePosted();

    /** Octets that TCP has accepted. */
    long sentOctets();

    /** Ends the connection because of {@code why}, and flushes {@code queues} whether there is one or not. */
    void toError(WorkQueues queues, String why);
}
