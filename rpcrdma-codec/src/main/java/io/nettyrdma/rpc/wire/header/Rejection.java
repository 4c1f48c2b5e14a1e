// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

import org.jspecify.annotations.Nullable;

/**
 * A received message that is not processed, and the answer that RFC 8166, section 4.5, or draft -01 of version 2,
 * section 7, asks for.
 *
 * @param reaction what to do
 * @param xid      word 0, to be copied into an error message; 0 if the message is too short to have one
 * @param version  word 1, likewise
 * @param what     the fault
 * @param octet    where, counted from the start of the header
 * @param found    the value there, or the number of octets
 * @param expected the value or the limit it was held against
 * @param option   the setting of {@code RpcRdmaConfig} that {@code expected} is the value of; {@code null} if none is
 * @param ownLimit whether the message keeps to the protocol's rules, and a limit or the memory of this side refuses it
 */
public record Rejection(
        Reaction reaction,
        int xid,
        int version,
        String what,
        int octet,
        long found,
        long expected,
        @Nullable String option,
        boolean ownLimit)
        implements Decoded {

    /** Creates the rejection of a message that breaks a rule. */
    public Rejection(Reaction reaction, int xid, int version, String what, int octet, long found, long expected) {
        this(reaction, xid, version, what, octet, found, expected, null, false);
    }

    /** Creates the rejection of a message that is too short to be looked at: discarded. */
    public static Rejection tooShort(int xid, int version, int bytes, int expectedBytes) {
        return discard(xid, version, "message too short", 0, bytes, expectedBytes);
    }

    /** Creates the rejection of a message that is discarded. */
    public static Rejection discard(int xid, int version, String what, int octet, long found, long expected) {
        return new Rejection(Reaction.DISCARD, xid, version, what, octet, found, expected);
    }

    /** Of a call of another version: answered with {@code ERR_VERS}. */
    public static Rejection errVers(int xid, int version, String what, int octet, int expectedVersion) {
        return new Rejection(
                Reaction.ERR_VERS, xid, version, what, octet, Integer.toUnsignedLong(version), expectedVersion);
    }

    /** Of a call that is refused for what it is as a whole: answered with {@code ERR_CHUNK}. */
    public static Rejection errChunk(int xid, int version, String what) {
        return new Rejection(Reaction.ERR_CHUNK, xid, version, what, 0, 0, 0);
    }

    /** Of a call with something that it may not have: answered with {@code ERR_CHUNK}. */
    public static Rejection errChunk(int xid, int version, String what, int octet, long found, long expected) {
        return new Rejection(Reaction.ERR_CHUNK, xid, version, what, octet, found, expected);
    }

    /** Of a call that exceeds a limit of this side: answered with {@code ERR_CHUNK}. */
    public static Rejection errChunk(
            int xid, int version, String what, long found, long limit, @Nullable String option) {
        return new Rejection(Reaction.ERR_CHUNK, xid, version, what, 0, found, limit, option, true);
    }

    /** Of a call that this side has no memory for: answered with {@code ERR_CHUNK}, which is all that version 1 has. */
    public static Rejection noMemory(int xid, int version, String what) {
        return new Rejection(Reaction.ERR_CHUNK, xid, version, what, 0, 0, 0, null, true);
    }

    /** Creates the rejection of a whole message by an {@code RDMA2_ERROR}, as for fragments out of sequence. */
    public static Rejection rdma2Error(int xid, int version, String what) {
        return new Rejection(Reaction.RDMA2_ERROR, xid, version, what, 0, 0, 0);
    }

    /** The possible answers. */
    public enum Reaction {
        /** Nothing is sent; the connection and pending calls stay as they are. */
        DISCARD,
        /** {@code RDMA_ERROR} with {@code ERR_CHUNK}. */
        ERR_CHUNK,
        /** {@code RDMA_ERROR} with {@code ERR_VERS} and the supported versions. */
        ERR_VERS,
        /** {@code RDMA2_ERROR} of version 2, with the code that {@link Rejection#what} begins with. */
        RDMA2_ERROR
    }

    @Override
    public String toString() {
        String said = reaction + ": xid 0x" + Integer.toHexString(xid) + ", " + what;
        if (octet == 0 && found == 0 && expected == 0 && option == null) {
            return said; // it has neither place nor value
        }
        return said + " at octet " + octet + ": " + found
                + (option == null
                        ? (ownLimit ? ", at most " : ", expected ") + expected
                        : ", RpcRdmaConfig." + option + " is " + expected);
    }
}
