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

import com.ibm.disni.verbs.IbvWC;
import io.netty.channel.IoEvent;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteOrder;

/**
 * A work completion on its way to its channel. One object per loop: valid only while it is being handled. If it has
 * failed, only the tag and the status are valid.
 */
final class RdmaCompletion implements IoEvent {

    private long workRequestId;
    private int status;
    private int lengthBytes;
    private int flags;
    private int immediate;

    RdmaCompletion set(IbvWC completion) {
        workRequestId = completion.getWr_id();
        status = completion.getStatus();
        lengthBytes = completion.getByte_len();
        flags = completion.getWc_flags();
        immediate = completion.getImm_data();
        return this;
    }

    long workRequestId() {
        return workRequestId;
    }

    /** {@code IBV_WC_*}, 0 for success. */
    int status() {
        return status;
    }

    /** Bytes received; valid only for a successful receive. */
    int lengthBytes() {
        return lengthBytes;
    }

    /** Whether the received message has immediate data; valid only for a receive. */
    boolean hasImmediate() {
        return (flags & VerbsConstants.WC_WITH_IMM) != 0;
    }

    /** The immediate data, whose four octets are a number in network order. */
    int immediate() {
        return inNetworkOrder(immediate);
    }

    /**
     * Converts between a number and immediate data of its octets in network order, which verbs have in the order of
     * this machine's memory. Each way is the same.
     */
    static int inNetworkOrder(int immediate) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? immediate : Integer.reverseBytes(immediate);
    }

    /** Whether the received Send has invalidated {@link #invalidatedKey}; valid only for a receive. */
    boolean hasInvalidated() {
        return (flags & VerbsConstants.WC_WITH_INV) != 0;
    }

    /** The key of this side's memory that the peer cannot use any more. */
    int invalidatedKey() {
        return immediate;
    }
}
