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
package io.nettyrdma.rpc.wire.header;

/** Checks for 32-bit unsigned numbers that travel as {@code long}. */
final class Unsigned {

    private static final long MAX_INT = 0xffff_ffffL;

    private Unsigned() {}

    /** @throws IllegalArgumentException unless {@code value} is 0 to 2<sup>32</sup>-1 */
    static void requireInt(long value, String what) {
        if (value < 0 || value > MAX_INT) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: 0 to 4294967295)");
        }
    }
}
