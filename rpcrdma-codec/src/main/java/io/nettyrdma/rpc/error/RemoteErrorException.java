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

/** The responder answered a call with an error of version 2 of the protocol (draft -01, section 7). */
public final class RemoteErrorException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final String code;

    /**
     * For a call that the peer refused.
     *
     * @param code   as the draft names it, such as {@code RDMA2_ERR_SYSTEM}
     * @param detail what the error says besides; empty if nothing
     */
    public RemoteErrorException(int xid, String code, String detail) {
        super(xid, "responder answered " + code + (detail.isEmpty() ? "" : ", " + detail));
        this.code = code;
    }

    /** The error as the draft names it, such as {@code RDMA2_ERR_SYSTEM}. */
    public String code() {
        return code;
    }
}
