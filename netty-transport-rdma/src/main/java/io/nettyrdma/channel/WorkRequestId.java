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
 * The identity of a work request, which its completion brings back: registration (32 bits), operation (1 bit), slot
 * (31 bits). Of a failed completion only this and the status can be trusted, so everything that dispatch needs is here.
 */
final class WorkRequestId {

    /** Slot of a receive. */
    static final int RECEIVE = 0;
    /** Slot of a send queue entry of any opcode. */
    static final int SEND = 1;

    private WorkRequestId() {}

    static long of(int registration, int operation, int slot) {
        assert slot >= 0 && (operation & ~1) == 0;
        return (long) registration << 32 | (long) operation << 31 | slot;
    }

    static int registration(long id) {
        return (int) (id >>> 32);
    }

    static int operation(long id) {
        return (int) (id >>> 31) & 1;
    }

    static int slot(long id) {
        return (int) id & 0x7fffffff;
    }
}
