// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A COMPOUND of NFS version 4.1 (RFC 8881, section 16.2), put together operation by operation, and its results, taken
 * apart in the same order. Opaque values, such as file handles and stateids, are hexadecimal digits.
 *
 * <p>Threading: one thread at a time. Ownership: {@link #message} belongs to who takes it.
 */
final class Compound {
    static final int STATEID_BYTES = 16;
    static final int SESSION_ID_BYTES = 16;

    private static final int NFS = 100_003;
    private static final int VERSION = 4;
    private static final int COMPOUND = 1;
    private static final int MINOR_VERSION = 1;
    private static final int AUTH_SYS = 1;

    private final List<Nfs41Operation> operations = new ArrayList<>();
    private final ByteBuf message;
    private final int countIndex;
    private ByteBuf reply = Unpooled.EMPTY_BUFFER;

    /** A call of root, without operations yet. */
    Compound(int xid) {
        message = Unpooled.directBuffer(512).writeInt(xid);
        words(0, 2, NFS, VERSION, COMPOUND);
        ByteBuf credential = Unpooled.buffer();
        writeRoot(credential);
        words(AUTH_SYS).octets(credential);
        words(0, 0); // no verifier
        words(0, MINOR_VERSION); // no tag
        countIndex = message.writerIndex();
        words(0);
    }

    /** {@code authsys_parms} (RFC 5531, appendix A) of root. */
    private static void writeRoot(ByteBuf out) {
        out.writeInt(0).writeInt(0).writeZero(3 * 4);
    }

    Compound operation(Nfs41Operation operation) {
        operations.add(operation);
        message.setInt(countIndex, operations.size());
        return words(operation.number);
    }

    Compound words(int... words) {
        for (int word : words) {
            message.writeInt(word);
        }
        return this;
    }

    Compound hyper(long value) {
        message.writeLong(value);
        return this;
    }

    Compound text(String text) {
        return octets(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    /** Opaque data of variable length. */
    Compound opaque(String hex) {
        return octets(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
    }

    /** Opaque data of a length that goes without saying. */
    Compound fixed(String hex) {
        message.writeBytes(HexFormat.of().parseHex(hex));
        return this;
    }

    /** How the server is to identify itself in callbacks: as root. */
    Compound callbackSecurity() {
        words(1, AUTH_SYS);
        writeRoot(message);
        return this;
    }

    private Compound octets(ByteBuf octets) {
        int length = octets.readableBytes();
        message.writeInt(length).writeBytes(octets).writeZero(-length & 3);
        return this;
    }

    boolean isIn(Nfs41Operation operation) {
        return operations.contains(operation);
    }

    /** The call. */
    ByteBuf message() {
        return message;
    }

    /**
     * Takes the reply, which it releases.
     *
     * @throws IOException if an operation failed
     */
    Compound answered(ByteBuf received) throws IOException {
        reply = Unpooled.copiedBuffer(received);
        received.release();
        int acceptStatus = RpcHeaders.acceptStatus(reply);
        if (acceptStatus != RpcHeaders.SUCCESS) {
            throw new IOException(operations + " answered with accept_stat " + acceptStatus);
        }
        reply.skipBytes(16);
        readOpaque(reply); // the verifier
        reply.skipBytes(4);
        int status = reply.readInt();
        readOpaque(reply); // the tag
        int count = reply.readInt();
        if (status != 0) {
            throw new IOException(operations + " failed with status " + status + " at operation " + count);
        }
        if (count != operations.size()) {
            throw new IOException(operations + " answered with " + count + " results");
        }
        return this;
    }

    /** The reply, positioned behind the status of the operation's result; what is before it has to be read. */
    ByteBuf result(Nfs41Operation operation) throws IOException {
        int number = reply.readInt();
        int status = reply.readInt();
        if (number != operation.number || status != 0) {
            throw new IOException("result of operation " + number + ", status " + status + ", for " + operation);
        }
        return reply;
    }

    static String readOpaque(ByteBuf in) {
        int length = in.readInt();
        String hex = readFixed(in, length);
        in.skipBytes(-length & 3);
        return hex;
    }

    static String readFixed(ByteBuf in, int length) {
        byte[] octets = new byte[length];
        in.readBytes(octets);
        return HexFormat.of().formatHex(octets);
    }
}
