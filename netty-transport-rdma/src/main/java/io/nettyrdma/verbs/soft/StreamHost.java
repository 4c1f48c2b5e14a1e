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

import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;

/** What a running stream asks of the connection that it runs on. */
interface StreamHost {

    /** Has {@link RdmapStream#turn} called in the next progress of the event channel. */
    void queueTurn();

    /** Replaces the one wait of the connection. */
    void deadline(long delayNanos, Runnable action);

    void cancelDeadline();

    /** Returns an action for the event channel that runs {@code action}, and ends the connection if that fails. */
    Runnable guarded(Runnable action);

    /** Whether the stream is reading, or there is something unsent, has changed. */
    void updateInterest();

    /** Ends the stream because of {@code why}: everything is flushed now, and what is staged still goes out. */
    void drain(String why);

    /** Ends the connection with a Terminate, framed by {@code fpdu}. */
    void terminate(StreamFault fault, Fpdu fpdu);
}
