// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import java.util.Objects;

/**
 * A reusable list of work requests, posted whole by {@link VerbsExtensions#postBatch} or {@link
 * VerbsExtensions#postReceives}. DiSNI's stateful verb calls freeze length, opcode and immediate data, and allocate for
 * each flush of another shape. This list does not.
 *
 * <p>Threading: confined to the thread that posts. Ownership: a post copies what the provider needs, so the list may be
 * cleared and filled again as soon as the post has returned.
 */
public final class WorkRequestBatch {

    private final WorkRequest[] requests;
    private int size;

    /** @param capacity largest number of requests in one post */
    public WorkRequestBatch(int capacity) {
        requests = new WorkRequest[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new WorkRequest();
        }
    }

    /**
     * Returns the next unused request, for the caller to fill.
     *
     * @throws IllegalStateException if the list is full
     */
    public WorkRequest add() {
        if (size == requests.length) {
            throw new IllegalStateException(
                    "work request list is full: " + size + " requests; post and clear it first");
        }
        return requests[size++];
    }

    /** Returns request {@code index}; 0 is the first to be posted. */
    public WorkRequest get(int index) {
        return requests[Objects.checkIndex(index, size)];
    }

    /** Returns the number of requests added since the last {@link #clear()}. */
    public int size() {
        return size;
    }

    /** Returns whether {@link #add()} would fail. */
    public boolean isFull() {
        return size == requests.length;
    }

    /** Forgets all requests. */
    public void clear() {
        size = 0;
    }
}
