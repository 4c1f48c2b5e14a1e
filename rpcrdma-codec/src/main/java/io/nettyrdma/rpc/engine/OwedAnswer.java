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
 * The answer to a call of the peer. It is owed from when the call has come until the message that answers it is sent,
 * or until it is dropped: it ends once, or with its connection.
 *
 * <p>Threading: confined to the thread of the call.
 */
public interface OwedAnswer {

    /** In version 1, which counts no answers. */
    OwedAnswer NOT_COUNTED = () -> {};

    /** Ends it without a message: the call is neither executed nor answered. */
    void drop();
}
