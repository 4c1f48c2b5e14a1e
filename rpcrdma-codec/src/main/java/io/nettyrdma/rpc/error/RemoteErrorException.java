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
package io.nettyrdma.rpc.error;

import java.util.Arrays;
import java.util.List;

/** The responder answered a call with an error of version 2 of the protocol (draft -01, section 7). */
public final class RemoteErrorException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final String code;
    private final long[] numbers;

    /**
     * For a call that the peer refused.
     *
     * @param code    as the draft names it, such as {@code RDMA2_ERR_SYSTEM}
     * @param numbers what the error says besides, 0 to 2<sup>32</sup>-1 each
     */
    public RemoteErrorException(int xid, String code, long... numbers) {
        super(xid, "responder answered " + code + (numbers.length == 0 ? "" : " " + Arrays.toString(numbers)));
        this.code = code;
        this.numbers = numbers.clone();
    }

    /** The error as the draft names it, such as {@code RDMA2_ERR_SYSTEM}. */
    public String code() {
        return code;
    }

    /**
     * What the error says besides: how many chunks or segments the peer takes of one call, or the octets that the reply
     * needs, for {@code RDMA2_ERR_WRITE_RESOURCE} behind the number of the write chunk, from 1 on.
     */
    public List<Long> numbers() {
        return Arrays.stream(numbers).boxed().toList();
    }
}
