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
package io.nettyrdma.rpc.wire.v2;

/** Which sequence of fragments a message arrives in; the first fragment arrives in none. */
public enum Rdma2Sequence {
    /** None: a message without {@link Rdma2#MORE} is whole by itself. */
    NONE,
    /** A payload stream in several {@code RDMA2_MSG}. */
    PAYLOAD,
    /** A set of properties in several {@code RDMA2_CONNPROP}. */
    PROPERTIES
}
