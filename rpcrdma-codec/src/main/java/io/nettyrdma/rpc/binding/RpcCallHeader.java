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

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

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

    private static final int CALL = 0;
    private static final int RPC_VERSION = 2;
    private static final int MAX_AUTH_BYTES = 400;
    private static final int RPCSEC_GSS = 6;
    private static final int GSS_VERSION_1 = 1;
    private static final int GSS_VERSION_3 = 3;
    private static final int GSS_PROC_DATA = 0;
    private static final int GSS_SERVICE_NONE = 1;

    /**
     * Reads the header at the reader index, which does not move.
     *
     * @return {@code null} if this is not a whole header of a call of RPC version 2, or if its credential or verifier
     *         is longer than the 400 octets of RFC 5531, section 8.2
     */
    public static @Nullable RpcCallHeader parse(ByteBuf call) {
        XdrCursor in = new XdrCursor(call);
        int xid = in.readInt();
        int type = in.readInt();
        int rpcVersion = in.readInt();
        int program = in.readInt();
        int version = in.readInt();
        int procedure = in.readInt();
        int flavor = in.readInt();
        int credentialOffset = in.position() + 4;
        in.skipOpaque(MAX_AUTH_BYTES);
        int credentialEnd = in.position();
        in.readInt(); // flavor of the verifier
        in.skipOpaque(MAX_AUTH_BYTES);
        if (in.failed() || type != CALL || rpcVersion != RPC_VERSION) {
            return null;
        }
        Protection protection = flavor == RPCSEC_GSS
                ? gssProtection(new XdrCursor(call, credentialOffset, credentialEnd))
                : Protection.CLEAR;
        return new RpcCallHeader(xid, program, version, procedure, protection, in.position());
    }

    /**
     * What the credential of RPCSEC_GSS says (RFC 2203, section 5; RFC 5403 and RFC 7861 keep its layout): version,
     * procedure, sequence number, service, handle. Whatever is not plainly data without protection counts as protected.
     */
    private static Protection gssProtection(XdrCursor credential) {
        int version = credential.readInt();
        int procedure = credential.readInt();
        credential.skip(4);
        int service = credential.readInt();
        credential.skipOpaque(MAX_AUTH_BYTES);
        boolean clear = !credential.failed()
                && version >= GSS_VERSION_1
                && version <= GSS_VERSION_3
                && procedure == GSS_PROC_DATA // V1-144
                && service == GSS_SERVICE_NONE; // V1-146
        return clear ? Protection.CLEAR : Protection.GSS_PROTECTED;
    }
}
