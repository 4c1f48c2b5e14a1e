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
