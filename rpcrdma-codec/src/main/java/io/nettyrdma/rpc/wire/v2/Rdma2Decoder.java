// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.codec.Defect;
import io.nettyrdma.rpc.wire.codec.ErrVers;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one received Send. The octets are checked whole before any object is built, so a hostile count costs nothing.
 * The checks have an order, so that each defect has one answer (C48):
 *
 * <table>
 * <caption>The order of checks</caption>
 * <tr><th>step</th><th>what</th><th>answer</th></tr>
 * <tr><td>1</td><td>less than 20 octets</td><td>discard</td></tr>
 * <tr><td></td><td>{@code ERR_VERS} as all versions have it, before the version is fixed</td><td>valid</td></tr>
 * <tr><td></td><td>another version</td><td>{@code ERR_VERS} to a call of 28 octets or more</td></tr>
 * <tr><td>2</td><td>credits, whatever follows (C43)</td><td></td></tr>
 * <tr><td>3</td><td>credit refresh</td><td>valid</td></tr>
 * <tr><td>4</td><td>header type unknown</td><td>INVAL_HTYPE</td></tr>
 * <tr><td>5</td><td>{@code TPMORE}, but no properties</td><td>INVAL_HTYPE</td></tr>
 * <tr><td>6</td><td>{@code MORE} in RDMA2_NOMSG, RDMA2_ERROR</td><td>INVAL_CONT</td></tr>
 * <tr><td>7</td><td>shape of chunk lists, errors, properties</td><td>BAD_XDR, BAD_PROPVAL</td></tr>
 * <tr><td>8</td><td>{@code MORE} with chunks</td><td>INVAL_CONT</td></tr>
 * <tr><td>9</td><td>sequence of fragments</td><td>the caller's</td></tr>
 * <tr><td>10</td><td>XID and type of the RPC message</td><td>BAD_XDR</td></tr>
 * <tr><td>11</td><td>chunks where none are supported</td><td>READ_CHUNKS, WRITE_CHUNKS, REPLY_RESOURCE</td></tr>
 * <tr><td>12</td><td>limits</td><td>SEGMENTS, READ_CHUNKS, WRITE_CHUNKS or REPLY_RESOURCE</td></tr>
 * <tr><td>13</td><td>placement of chunks; what a reply returns</td><td>BAD_XDR; SYSTEM if one is too long</td></tr>
 * </table>
 *
 * <p>Only what has {@code RESPONSE} clear is answered, and neither errors nor refreshes (C18). Steps 10 to 13 need the
 * whole message. Of one that comes in fragments, the caller has them made when they are joined: {@link #checkStart},
 * {@link #checkLast}, {@link #decodeJoined}.
 *
 * <p>Threading: confined to one thread at a time, because the scan's results are kept in fields. Ownership: messages
 * are neither released nor are their indices moved.
 */
public final class Rdma2Decoder {

    private static final String UNKNOWN_VERSION = "unknown version";
    /** The least a receiver looks at in a message of a version it does not know (RFC 8166, section 4.5). */
    private static final int MIN_OTHER_BYTES = 28;

    private final Rdma2Scan scan;
    private final Direction others;
    private boolean versionFixed;

    /**
     * @param limits what to accept at most from calls
     * @param others what messages of other versions are taken for, whose flags say nothing: calls by the side that
     *               answers them, replies by the other
     */
    public Rdma2Decoder(Rdma2Limits limits, Direction others) {
        scan = new Rdma2Scan(limits);
        this.others = others;
    }

    /**
     * Decodes the readable octets of a message.
     *
     * @param sequence which sequence of fragments is not complete: in one of payload, no message is checked for more
     *                 than step 8, and in one of properties no {@code RDMA2_CONNPROP} for more than step 6
     * @return a valid message, or the answer to an invalid one; never an exception, whatever the octets
     */
    public Rdma2Decoded decode(ByteBuf message, Rdma2Sequence sequence) {
        int length = message.readableBytes();
        if (length < Rdma2.FIXED_BYTES) {
            return Rdma2Rejection.tooShort(0, 0, length, Rdma2.PREFIX_BYTES); // V2-134
        }
        int start = message.readerIndex();
        int version = message.getInt(start + Rdma2.VERS);
        int type = message.getInt(start + Rdma2.HTYPE);
        if (type == Rdma2.ERROR && length == ErrVers.BYTES && isErrVers(message, version)) {
            return decodeErrVers(message, start, version);
        }
        if (version != Rdma2.VERSION) {
            return rejectVersion(message, start, length, version, type);
        }
        if (length < Rdma2.PREFIX_BYTES) {
            return Rdma2Rejection.tooShort( // V2-007, V2-134
                    message.getInt(start + Rdma2.XID), version, length, Rdma2.PREFIX_BYTES);
        }
        int flags = message.getInt(start + Rdma2.FLAGS) & Rdma2.FLAGS_MASK; // V2-098
        if (isRefresh(message, start, length, type, flags)) {
            return new Rdma2Message.CreditGrant(message.getInt(start + Rdma2.CREDIT)); // V2-123
        }
        if (!scan.checkType(type, flags)) {
            return reject(message);
        }
        return switch (type) {
            case Rdma2.ERROR -> decodeError(message, start, length, flags);
            case Rdma2.CONNPROP -> decodeProperties(message, start, flags, sequence);
            default -> decodeLists(message, start, type == Rdma2.MSG, flags, sequence);
        };
    }

    /**
     * The peer has accepted version 2, or this side accepts no other. From now on, no message is an {@code ERR_VERS} in
     * the layout of all versions: 28 octets of version 2 are one of its own errors, known or unknown.
     */
    public void onVersionFixed() {
        versionFixed = true;
    }

    /**
     * Sets whether replies of this side can be continued, as they can at first. A call with write chunks is answered by
     * {@code REPLY_RESOURCE} if they cannot, and this side takes no write chunk (draft -01, section 7.3.2).
     */
    public void setContinuesReplies(boolean continues) {
        scan.setContinuesReplies(continues);
    }

    /**
     * Whether it is an {@code ERR_VERS} in the layout of all versions. In an error of version 2 the lowest version is
     * the error code, and the highest one is its argument.
     */
    private boolean isErrVers(ByteBuf message, int version) {
        if (versionFixed || !ErrVers.isIn(message)) { // V2-136, V2-170 (C5)
            return false;
        }
        VersionRange supported = ErrVers.supported(message);
        return version != Rdma2.VERSION || supported.low() <= supported.high(); // V2-136 (C5)
    }

    private static Rdma2Decoded decodeErrVers(ByteBuf message, int start, int version) {
        VersionRange supported = ErrVers.supported(message);
        return Rdma2Message.ErrorMsg.versions( // V2-126
                message.getInt(start + Rdma2.XID),
                version,
                message.getUnsignedInt(start + Rdma2.CREDIT),
                supported.low(),
                supported.high());
    }

    private Rdma2Decoded rejectVersion(ByteBuf message, int start, int length, int version, int type) {
        int xid = message.getInt(start + Rdma2.XID);
        if (length < MIN_OTHER_BYTES) {
            return Rdma2Rejection.tooShort(xid, version, length, MIN_OTHER_BYTES);
        }
        long found = Integer.toUnsignedLong(version);
        return Rdma2Rejection.withoutFlags(
                others == Direction.CALL && type != Rdma2.ERROR
                        ? Rejection.errVers(xid, version, UNKNOWN_VERSION, Rdma2.VERS, Rdma2.VERSION)
                        : Rejection.discard(xid, version, UNKNOWN_VERSION, Rdma2.VERS, found, Rdma2.VERSION));
    }

    private static boolean isRefresh(ByteBuf message, int start, int length, int type, int flags) {
        return length == Rdma2.MIN_HEADER_BYTES
                && (flags & (Rdma2.MORE | Rdma2.TPMORE)) == 0
                && isOfNothing(message, start, length, type);
    }

    /** Whether it is of no transaction and has no chunks. */
    private static boolean isOfNothing(ByteBuf message, int start, int length, int type) {
        return type == Rdma2.NOMSG
                && length >= Rdma2.MIN_HEADER_BYTES
                && message.getInt(start + Rdma2.XID) == 0
                && message.getLong(start + Rdma2.LISTS_OFFSET) == 0
                && message.getInt(start + Rdma2.LISTS_OFFSET + 8) == 0;
    }

    private Rdma2Decoded decodeLists(ByteBuf message, int start, boolean inline, int flags, Rdma2Sequence sequence) {
        boolean more = (flags & Rdma2.MORE) != 0;
        if (!scan.checkShape(message, inline, more)) {
            return reject(message);
        }
        int xid = message.getInt(start + Rdma2.XID);
        if (!more && sequence == Rdma2Sequence.NONE) {
            boolean response = (flags & Rdma2.RESPONSE) != 0;
            int payload = scan.headerBytes();
            if (inline && !scan.checkStart(message, payload, xid, response)
                    || !scan.checkLists(message, inline, response, message.readableBytes() - payload)) {
                return reject(message);
            }
        }
        int credits = message.getInt(start + Rdma2.CREDIT);
        // It means nothing in a reply, nor in a fragment that others follow.
        int invHandle = flags == 0 ? message.getInt(start + Rdma2.INV_HANDLE) : 0;
        return inline
                ? new Rdma2Message.Msg(xid, credits, flags, invHandle, scan.chunks(message))
                : new Rdma2Message.NoMsg(xid, credits, flags, invHandle, scan.chunks(message));
    }

    private Rdma2Decoded decodeError(ByteBuf message, int start, int length, int flags) {
        Defect defect = scan.defect();
        if (length < Rdma2.ERR + 4) {
            defect.is("error too short", Rdma2.ERR, length, Rdma2.ERR + 4);
            return reject(message);
        }
        int number = message.getInt(start + Rdma2.ERR);
        @Nullable Rdma2ErrorCode code = Rdma2ErrorCode.of(number);
        if (code == null || length != Rdma2Error.messageBytes(code)) {
            defect.is("undecodable error", Rdma2.ERR, Integer.toUnsignedLong(number), length); // V2-136
            return reject(message);
        }
        if ((flags & Rdma2.RESPONSE) == 0) {
            defect.is("error of no call of this side", Rdma2.FLAGS, flags, Rdma2.RESPONSE);
            return reject(message);
        }
        Rdma2Error error = new Rdma2Error(
                code,
                code.arguments() < 1 ? 0 : message.getUnsignedInt(start + Rdma2.ERR + 4),
                code.arguments() < 2 ? 0 : message.getUnsignedInt(start + Rdma2.ERR + 8));
        return Rdma2Message.ErrorMsg.of(message.getInt(start + Rdma2.XID), message.getInt(start + Rdma2.CREDIT), error);
    }

    private Rdma2Decoded decodeProperties(ByteBuf message, int start, int flags, Rdma2Sequence sequence) {
        int xid = message.getInt(start + Rdma2.XID);
        int credits = message.getInt(start + Rdma2.CREDIT);
        if ((flags & Rdma2.MORE) != 0 || sequence == Rdma2Sequence.PROPERTIES) {
            return new Rdma2Message.ConnProp(xid, credits, flags, null);
        }
        return scan.checkProperties(message, Rdma2.PROPERTIES)
                ? new Rdma2Message.ConnProp(xid, credits, flags, PropertyScan.read(message, Rdma2.PROPERTIES))
                : reject(message);
    }

    /**
     * Step 10 for a message in fragments, as soon as 8 octets of its payload stream are there.
     *
     * @param last    the fragment that was received last
     * @param payload the payload stream as far as it is there
     * @return what is wrong, {@code null} if nothing is
     */
    public @Nullable Rdma2Rejection checkStart(ByteBuf last, ByteBuf payload) {
        scan.defect().clear();
        int start = last.readerIndex();
        boolean response = (last.getInt(start + Rdma2.FLAGS) & Rdma2.RESPONSE) != 0;
        return scan.checkStart(payload, 0, last.getInt(start + Rdma2.XID), response) ? null : reject(last);
    }

    /**
     * Steps 11 to 13 for a message in fragments.
     *
     * @param last         its last fragment, which was decoded as valid
     * @param payloadBytes octets of all fragments together
     * @return what is wrong, {@code null} if nothing is
     */
    public @Nullable Rdma2Rejection checkLast(ByteBuf last, int payloadBytes) {
        scan.defect().clear();
        boolean response = (last.getInt(last.readerIndex() + Rdma2.FLAGS) & Rdma2.RESPONSE) != 0;
        return scan.checkShape(last, true, false) && scan.checkLists(last, true, response, payloadBytes)
                ? null
                : reject(last);
    }

    /**
     * Step 7 for properties in fragments.
     *
     * @param last   the last fragment, which was decoded as valid
     * @param joined what followed the prefixes of all of them
     * @return the last fragment with the whole set, or the answer to an invalid one
     */
    public Rdma2Decoded decodeJoined(ByteBuf last, ByteBuf joined) {
        scan.defect().clear();
        if (!scan.checkProperties(joined, 0)) {
            return reject(last);
        }
        int start = last.readerIndex();
        return new Rdma2Message.ConnProp(
                last.getInt(start + Rdma2.XID),
                last.getInt(start + Rdma2.CREDIT),
                last.getInt(start + Rdma2.FLAGS) & Rdma2.FLAGS_MASK,
                PropertyScan.read(joined, 0));
    }

    /** The defect that the scan has found, as the answer to the message. */
    private Rdma2Rejection reject(ByteBuf message) {
        int start = message.readerIndex();
        int xid = message.getInt(start + Rdma2.XID);
        int type = message.getInt(start + Rdma2.HTYPE);
        int flags = message.getInt(start + Rdma2.FLAGS) & Rdma2.FLAGS_MASK;
        boolean answered = (flags & Rdma2.RESPONSE) == 0 // V2-100
                && type != Rdma2.ERROR
                && !isOfNothing(message, start, message.readableBytes(), type);
        @Nullable Rdma2Error error = answered ? scan.answer() : null;
        Defect defect = scan.defect();
        Rejection report = new Rejection(
                error == null ? Reaction.DISCARD : Reaction.RDMA2_ERROR,
                xid,
                Rdma2.VERSION,
                error == null ? defect.what() : error.name() + ", " + defect.what(),
                defect.octet(),
                defect.found(),
                defect.expected(),
                defect.option(),
                defect.isOwnLimit());
        return new Rdma2Rejection(report, error, type, flags);
    }
}
