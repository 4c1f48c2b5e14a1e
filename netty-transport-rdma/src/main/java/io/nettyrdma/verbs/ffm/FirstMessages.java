// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;

/**
 * The queue pairs of one completion queue whose peer has sent nothing yet, as far as that is asked for. Completions
 * name a queue pair by its number, which siw gives to another as soon as it is free.
 *
 * <p>Threading: the loop's.
 */
final class FirstMessages {

    private final IntObjectMap<Object> awaited = new IntObjectHashMap<>();

    /** From now on the first message of {@code queuePair} is awaited. */
    void await(int number, Object queuePair) {
        awaited.put(number, queuePair);
    }

    boolean awaits(int number, Object queuePair) {
        return awaited.get(number) == queuePair;
    }

    /** A message has come to the queue pair that has that number now. */
    void onReceived(int number) {
        if (!awaited.isEmpty()) {
            awaited.remove(number);
        }
    }

    /** It is not asked for any more. */
    void forget(int number, Object queuePair) {
        if (awaits(number, queuePair)) {
            awaited.remove(number);
        }
    }
}
