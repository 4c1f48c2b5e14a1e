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

import io.nettyrdma.internal.Ranges;

/**
 * The versions of the protocol that one side may speak.
 *
 * @param lowest  1 or 2
 * @param highest {@code lowest} to 2
 */
public record AllowedVersions(int lowest, int highest) {

    /** RFC 8166. */
    public static final int ONE = 1;

    /** The -01 wire format of version 2. */
    public static final int TWO = 2;

    /** @throws IllegalArgumentException if they are out of their range */
    public AllowedVersions {
        Ranges.require("lowest version", lowest, ONE, TWO);
        Ranges.require("highest version", highest, lowest, TWO);
    }

    /** Whether version 1 may be spoken. */
    public boolean hasOne() {
        return lowest == ONE;
    }

    /** Whether version 2 may be spoken. */
    public boolean hasTwo() {
        return highest == TWO;
    }
}
