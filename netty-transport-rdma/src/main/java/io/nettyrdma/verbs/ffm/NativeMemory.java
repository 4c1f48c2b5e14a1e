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

import java.nio.ByteBuffer;

/** Memory that C reads and writes: its octets, and where they are. Whoever holds this object holds the memory. */
final class NativeMemory {

    private final ByteBuffer octets;
    private final long address;

    /** Zeroed. */
    NativeMemory(int bytes) {
        octets = Foreign.allocate(bytes);
        address = Foreign.get().address(octets);
    }

    /** In native order; position and limit are nobody's business. */
    ByteBuffer octets() {
        return octets;
    }

    long address() {
        return address;
    }

    int bytes() {
        return octets.capacity();
    }
}
