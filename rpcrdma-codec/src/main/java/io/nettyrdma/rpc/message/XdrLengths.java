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
package io.nettyrdma.rpc.message;

/** Lengths in XDR (RFC 4506, section 3): every item has whole words of four octets. */
public final class XdrLengths {

    private XdrLengths() {}

    /** Returns {@code bytes}, at most {@code Integer.MAX_VALUE - 3}, rounded up to whole words. */
    public static int padded(int bytes) {
        return bytes + 3 & ~3;
    }

    /** Returns {@code bytes} rounded up to whole words. */
    public static long padded(long bytes) {
        return bytes + 3 & ~3L;
    }

    /** Returns whether {@code bytes} are whole words. */
    public static boolean isWholeWords(int bytes) {
        return (bytes & 3) == 0;
    }
}
