// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrLengths;
import org.jspecify.annotations.Nullable;

/**
 * The header of an RPC call (RFC 5531, section 9), as far as a transport needs it.
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

    /** Returns program, version and procedure, for logs and messages. */
    public String name() {
        return "program " + Integer.toUnsignedString(program) + " version " + Integer.toUnsignedString(version)
                + " procedure " + Integer.toUnsignedString(procedure);
    }

    /** The effect of the security flavor on the messages of a call. */
    public enum Protection {
        /** Arguments and results are in the clear: AUTH_NONE, AUTH_SYS, RPCSEC_GSS with service none. */
        CLEAR,
        /** RPCSEC_GSS with integrity or privacy, or a control message: nothing may be reduced (RFC 8166, 8.2.2). */
        GSS_PROTECTED
    }

    /** Octets from the XID to the credential, which begins with its flavor. */
    private static final int CREDENTIAL = 24;

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
        int arguments = RpcHeaders.argumentsOffset(call);
        if (arguments < 0) {
            return null;
        }
        int start = call.readerIndex();
        long programAndVersion = call.getLong(start + 12);
        long procedureAndFlavor = call.getLong(start + 20);
        Protection protection = (int) procedureAndFlavor == RPCSEC_GSS
                ? gssProtection(new XdrCursor(
                        call, CREDENTIAL + 8, CREDENTIAL + 8 + XdrLengths.padded(call.getInt(start + CREDENTIAL + 4))))
                : Protection.CLEAR;
        return new RpcCallHeader(
                call.getInt(start),
                (int) (programAndVersion >>> Integer.SIZE),
                (int) programAndVersion,
                (int) (procedureAndFlavor >>> Integer.SIZE),
                protection,
                arguments);
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
        credential.skipOpaque(RpcHeaders.MAX_AUTH_BYTES);
        boolean clear = !credential.failed()
                && version >= GSS_VERSION_1
                && version <= GSS_VERSION_3
                && procedure == GSS_PROC_DATA // V1-144
                && service == GSS_SERVICE_NONE; // V1-146
        return clear ? Protection.CLEAR : Protection.GSS_PROTECTED;
    }
}
