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
package io.nettyrdma.rpc.version2;

/** The kinds of messages that the negotiation of a version distinguishes, on both sides of a connection. */
enum MessageKind {
    /** A message of version 1 that is not silently discarded. */
    VERSION_1,
    /** A valid CONNPROP. */
    PROPERTIES,
    /** A call in version 2. */
    CALL,
    /** A reply in version 2. */
    REPLY,
    /** A refresh. */
    REFRESH,
    /** An error of version 2 other than {@code ERR_VERS}. */
    ERROR,
    /** {@code ERR_VERS} in either layout. */
    ERR_VERS,
    /** {@code ERR_CHUNK} as of version 1. */
    ERR_CHUNK,
    /** A message of version 2 that is rejected with an error. */
    REJECTED,
    /** A call of another version, long enough to be answered. */
    OTHER_VERSION,
    /** A message that is rejected without an answer. */
    DISCARDED
}
