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
 * User event that tells the pipeline of an {@link RdmaChannel} that the peer has invalidated a key of this side, with
 * the message that is fired next. The peer does not reach the memory any more, whatever it still sends; its owner gives
 * the registration back all the same, by {@link RdmaMemory#invalidate()} or the last release. Devices that do not
 * report remote invalidation fire nothing.
 *
 * @param key {@link RemoteSegment#key()} of the memory, which is not always one that the peer has been shown
 */
public record RdmaKeyInvalidatedEvent(int key) {

    @Override
    public String toString() {
        return "RdmaKeyInvalidatedEvent[key=0x" + Integer.toHexString(key) + "]";
    }
}
