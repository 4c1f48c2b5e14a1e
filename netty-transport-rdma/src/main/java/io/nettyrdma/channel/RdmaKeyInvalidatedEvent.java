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
 * User event in the pipeline of an {@link RdmaChannel}: the peer has invalidated a key of this side, by the message
 * fired next. The peer can no longer reach the memory. Its owner must still return the registration, by {@link
 * RdmaMemory#invalidate()} or the last release. Devices that do not report remote invalidation fire nothing.
 *
 * @param key {@link RemoteSegment#key()} of the memory; the peer may not have been given this key
 */
public record RdmaKeyInvalidatedEvent(int key) {

    @Override
    public String toString() {
        return "RdmaKeyInvalidatedEvent[key=0x" + Integer.toHexString(key) + "]";
    }
}
