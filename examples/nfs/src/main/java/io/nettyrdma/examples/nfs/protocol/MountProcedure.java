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
package io.nettyrdma.examples.nfs.protocol;

import org.jspecify.annotations.Nullable;

/** The procedures of MOUNT version 3, in the order of their numbers (RFC 1813, section 5.2). */
public enum MountProcedure {
    /** Does nothing. */
    NULL,
    /** The handle of a directory. */
    MNT,
    /** Who has mounted what. */
    DUMP,
    /** The caller does not use a directory any more. */
    UMNT,
    /** The caller uses none any more. */
    UMNTALL,
    /** What there is to mount. */
    EXPORT;

    private static final MountProcedure[] ALL = values();

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }

    /** The procedure of a number, if there is one. */
    public static @Nullable MountProcedure of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : null;
    }
}
