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

/** How safe written data are: {@code stable_how} (RFC 1813, section 3.3.7), in the order of the numbers. */
public enum Stability {
    /** In the server's memory. */
    UNSTABLE,
    /** On stable storage, but for the file's attributes. */
    DATA_SYNC,
    /** On stable storage. */
    FILE_SYNC;

    private static final Stability[] ALL = values();

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }

    /** The stability of a number, if there is one. */
    public static @Nullable Stability of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : null;
    }
}
