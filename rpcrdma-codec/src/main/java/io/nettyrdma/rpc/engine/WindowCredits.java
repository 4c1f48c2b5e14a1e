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
package io.nettyrdma.rpc.engine;

/**
 * The credits of a requester, by the rule of version 1: limits, not increments (RFC 8166, section 3.3). {@code window}
 * is min(requested, most recently granted), 1 until the first valid answer. A call takes a credit when it is sent and
 * gives it back when it is answered. One that is given up after it was sent keeps its credit, since the responder may
 * still be at work on it.
 *
 * <p>Threading: confined to one thread.
 */
final class WindowCredits {

    private final int requested;
    private int window = 1; // V1-023
    private int inFlight; // including abandoned
    private int abandoned;

    /** @param requested number of receives posted for replies, at least 1 */
    WindowCredits(int requested) {
        this.requested = requested;
    }

    /** The credits to ask for in every header. */
    int requested() {
        return requested;
    }

    /** Calls that may be in flight. */
    int window() {
        return window;
    }

    /** Calls sent and not answered, including those given up. */
    int inFlight() {
        return inFlight;
    }

    /** Calls given up and not answered. */
    int abandoned() {
        return abandoned;
    }

    /** Whether another call may be sent. */
    boolean mayCall() {
        return inFlight < window; // V1-012, V1-014, V1-016, V1-137
    }

    /**
     * Whether calls that were given up hold all credits, so that none can ever be sent unless the responder wakes up.
     */
    boolean areStuck() {
        return abandoned != 0 && abandoned >= window;
    }

    /** A call takes a credit. */
    void onCalled() {
        inFlight++;
    }

    /** A call that was sent is given up. */
    void onAbandoned() {
        abandoned++;
    }

    /** A call gives its credit back, because it was answered, or was not sent after all. */
    void onReturned(boolean wasAbandoned) {
        if (wasAbandoned) {
            abandoned--;
        }
        inFlight--;
    }

    /**
     * An answer tells what the responder grants.
     *
     * @param granted 0 to 2<sup>32</sup>-1
     */
    void onGranted(long granted) {
        window = (int) Math.max(1, Math.min(granted, requested)); // V1-015, V1-016, V1-024
    }

    /** There are no calls any more. */
    void onConnectionLost() {
        inFlight = 0;
        abandoned = 0;
    }
}
