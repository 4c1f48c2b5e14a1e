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

import org.jspecify.annotations.Nullable;

/**
 * What a queue pair tells the channel that owns it, in the channel's own terms: which messages or octets are done, and
 * what has come.
 *
 * <p>Threading: called by the loop only.
 */
interface QueuePairOwner {

    /** A message arrived; the owner passes it through {@link QueuePair#handOut} or {@link QueuePair#discard}. */
    void onReceived(RegisteredByteBuf message);

    /**
     * The oldest request that was not yet told of is done.
     *
     * @param tag   what it was added with
     * @param cause why it has failed, or {@code null} if it has not
     */
    void onSendCompleted(Object tag, @Nullable Throwable cause);

    /** The queue pair does not work any more. Said once, and before the request that has failed is said to be done. */
    void onFailure(Throwable cause);

    /** The last of a batch of completions was handled. */
    void onBatchEnd();

    /**
     * What a failure means with the options of the channel.
     *
     * @param receive whether a receive has failed, and not a request
     * @param status  {@code IBV_WC_*}
     * @return what to tell the user, or {@code null} if the options have nothing to do with it
     */
    @Nullable
    String explain(boolean receive, int status);
}
