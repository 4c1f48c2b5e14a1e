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

/**
 * Position of the content of a variable-length XDR item in an RPC message: behind its length word, without padding.
 *
 * @param offset      octets from the XID to the content, a multiple of 4
 * @param lengthBytes octets of content, at least 0
 */
public record XdrItem(int offset, int lengthBytes) {

    /** Checks the ranges. */
    public XdrItem {
        if (offset < 0 || !XdrLengths.isWholeWords(offset) || lengthBytes < 0) {
            throw new IllegalArgumentException("offset " + offset + ", length " + lengthBytes);
        }
    }
}
