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
package io.nettyrdma.channel;

/**
 * What a queue pair tells the channel that owns it.
 *
 * <p>Threading: called by the loop only.
 */
interface QueuePairOwner {

    /** A message arrived; the owner passes it through {@link QueuePair#handOut} or {@link QueuePair#discard}. */
    void received(RegisteredByteBuf message);

    /** The oldest written message is done: remove it and, if {@code cause} is not {@code null}, fail it. */
    void sendCompleted(Object message, @org.jspecify.annotations.Nullable Throwable cause);

    /** The queue pair does not work any more. Said once, and before the request that has failed is said to be done. */
    void failed(Throwable cause);
}
