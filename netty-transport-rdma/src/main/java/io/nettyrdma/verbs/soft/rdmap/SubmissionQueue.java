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
package io.nettyrdma.verbs.soft.rdmap;

/** What stands in front of work queues if other threads post to them. All of it is for the thread of the queues. */
public interface SubmissionQueue {

    /** Moves the receives that wait into the work queues. */
    void takeReceives();

    /** A request has left the send queue, and its completion is not visible yet. */
    void onSendDone();

    /** A request has left the receive queue, and its completion is not visible yet. */
    void onReceiveDone();
}
