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
