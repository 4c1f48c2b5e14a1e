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
package io.nettyrdma.rpc.binding;

/**
 * The header of an RPC call (RFC 5531, section 9), as far as a transport has to know it.
 *
 * @param xid             transaction; opaque
 * @param program         program number
 * @param version         version of the program
 * @param procedure       procedure number
 * @param protection      what security does to arguments and results
 * @param argumentsOffset octets from the XID to the arguments
 */
public record RpcCallHeader(
        int xid, int program, int version, int procedure, Protection protection, int argumentsOffset) {

    /** What the security flavor does to the messages of a call. */
    public enum Protection {
        /** Arguments and results are in the clear: AUTH_NONE, AUTH_SYS, RPCSEC_GSS with service none. */
        CLEAR,
        /** RPCSEC_GSS with integrity or privacy, or a control message: nothing may be reduced (RFC 8166, 8.2.2). */
        GSS_PROTECTED
    }
}
