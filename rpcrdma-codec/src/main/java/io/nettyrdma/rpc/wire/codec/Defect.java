// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.codec;

import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import org.jspecify.annotations.Nullable;

/**
 * The first thing that is found wrong with a message. Its facts are kept in fields, so that only a message that is
 * refused costs an object.
 *
 * <p>Threading: confined to one thread.
 */
public final class Defect {

    private String what = "";
    private int octet;
    private long found;
    private long expected;
    /** The setting that was exceeded, if it is a limit. */
    private @Nullable String option;

    private boolean ownLimit;

    /** Nothing has been found wrong with the next message yet. */
    public void clear() {
        option = null;
        ownLimit = false;
    }

    /**
     * Records what breaks the rules.
     *
     * @param octet    where, counted from the start of the header
     * @param found    the value there, or the number of octets
     * @param expected what it was held against
     * @return false, for the check that has found it
     */
    public boolean is(String what, int octet, long found, long expected) {
        this.what = what;
        this.octet = octet;
        this.found = found;
        this.expected = expected;
        return false;
    }

    /**
     * Records what exceeds a limit of this side, as {@link #is} does.
     *
     * @param option the setting of {@code RpcRdmaConfig} that {@code limit} is the value of, {@code null} if none is
     * @return false
     */
    public boolean exceeds(@Nullable String option, String what, int octet, long found, long limit) {
        this.option = option;
        ownLimit = true;
        return is(what, octet, found, limit);
    }

    /** Records that a message is of the other type than the receiver takes, and which handler takes it; false. */
    public boolean isOtherType(int octet, long found, int expected) {
        String what = found == RpcHeaders.CALL
                ? "RPC message type of a call, for which this side needs an RpcRdmaResponderHandler"
                        + " (RpcRdmaReverseResponderHandler if a server calls its client),"
                : found == RpcHeaders.REPLY
                        ? "RPC message type of a reply, for which this side needs an RpcRdmaRequesterHandler"
                                + " (RpcRdmaReverseRequesterHandler if a server calls its client),"
                        : "RPC message type";
        return is(what, octet, found, expected);
    }

    /** What was found to be wrong last. */
    public String what() {
        return what;
    }

    /** Where, counted from the start of the header. */
    public int octet() {
        return octet;
    }

    /** The value there, or the number of octets. */
    public long found() {
        return found;
    }

    /** What it was held against. */
    public long expected() {
        return expected;
    }

    /** The setting that was exceeded, {@code null} if it is none. */
    public @Nullable String option() {
        return option;
    }

    /** Whether a limit of this side was exceeded. */
    public boolean isOwnLimit() {
        return ownLimit;
    }

    /** What was recorded last, as the answer to a message. */
    public Rejection rejection(Reaction reaction, int xid, int version) {
        return new Rejection(reaction, xid, version, what, octet, found, expected, option, ownLimit);
    }
}
