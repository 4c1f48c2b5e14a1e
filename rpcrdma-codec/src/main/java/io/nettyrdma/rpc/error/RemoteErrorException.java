// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The responder answered a call with an error. It could not decode the call or convey its reply, or does not speak the
 * version (RFC 8166, section 4.5; draft -01 of version 2, section 7). The same call would fail again.
 */
public final class RemoteErrorException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** Errors whose first number is how many of something the responder takes. */
    private static final Set<String> LIMITS =
            Set.of("RDMA2_ERR_READ_CHUNKS", "RDMA2_ERR_WRITE_CHUNKS", "RDMA2_ERR_SEGMENTS");

    private final String code;
    private final String text;
    private final long[] numbers;

    private RemoteErrorException(int xid, String code, String text, @Nullable Throwable cause, long... numbers) {
        super(
                xid,
                switch (code) {
                    case "ERR_CHUNK" -> CallOutcome.ERR_CHUNK;
                    case "ERR_VERS" -> CallOutcome.ERR_VERS;
                    default -> CallOutcome.RDMA2_ERROR;
                },
                text,
                cause);
        this.code = code;
        this.text = text;
        this.numbers = numbers.clone();
    }

    /**
     * Creates the exception for a call that was answered with an error of version 2.
     *
     * @param code    as the draft names it, such as {@code RDMA2_ERR_SYSTEM}
     * @param numbers arguments of the error, 0 to 2<sup>32</sup>-1 each
     */
    public RemoteErrorException(int xid, String code, long... numbers) {
        this(
                xid,
                code,
                "responder answered " + code + (numbers.length == 0 ? "" : " " + Arrays.toString(numbers))
                        + advice(code, numbers.length == 0 ? -1 : numbers[0]),
                null,
                numbers);
    }

    /** Returns the exception for {@code ERR_CHUNK}; {@code limits} are what the call offered, and why. */
    public static RemoteErrorException ofChunk(int xid, String limits) {
        String text = "responder answered ERR_CHUNK; " + limits
                + "; if none of these is too small, the responder may lack memory, which its log says";
        return new RemoteErrorException(xid, "ERR_CHUNK", text, null);
    }

    /** Returns the exception for a responder that supports these versions only, 0 to 2<sup>32</sup>-1. */
    public static RemoteErrorException ofVersions(int xid, long low, long high) {
        String text = "responder supports versions " + low + " to " + high;
        return new RemoteErrorException(xid, "ERR_VERS", text, null, low, high);
    }

    /** Returns an equal exception for a call that fails, with this exception as its cause. */
    public RemoteErrorException forCall(int xid) {
        return new RemoteErrorException(xid, code, text, this, numbers);
    }

    /** Names the settings that the error depends on, and the side that has them; nothing if no setting helps. */
    private static String advice(String code, long limit) {
        if (limit == 0 && LIMITS.contains(code)) {
            return "; the responder takes none in such a call: a server by its limits in RpcRdmaConfig, a client by"
                    + " RpcRdmaVersion2Settings.reverseLevel";
        }
        return switch (code) {
            case "RDMA2_ERR_BAD_XDR" ->
                "; if the call had read chunks, declare its program in RpcRdmaConfig.bindings, the same on both sides,"
                        + " and leave XDR padding out of chunks";
            case "RDMA2_ERR_INVAL_CONT" ->
                "; if the call went in fragments, raise RpcRdmaVersion2Settings.maxContinuedBytes of the responder, or"
                        + " reverseLevel if that is a client";
            case "RDMA2_ERR_WRITE_RESOURCE" ->
                "; a result exceeds its write chunk: check RpcRdmaConfig.bindings of the requester and the target of"
                        + " RpcRdmaCall.replyInto; RpcRdmaCall.repeatable allows a second try, within"
                        + " maxChunkBytesPerCall of the requester";
            case "RDMA2_ERR_REPLY_RESOURCE" ->
                "; the reply had too little room: give RpcRdmaCall.maxReplyBytes, or declare the program in"
                        + " RpcRdmaConfig.bindings, the same on both sides";
            case "RDMA2_ERR_SYSTEM" ->
                "; the responder could not serve the call: it had no memory for long enough (its"
                        + " -XX:MaxDirectMemorySize), RpcRdmaConfig.maxCallBytes there is too small, or its program"
                        + " refused the call; its log says more";
            default -> "";
        };
    }

    /** Returns the error by its name, such as {@code ERR_CHUNK} or {@code RDMA2_ERR_SYSTEM}. */
    public String code() {
        return code;
    }

    /**
     * Returns the arguments of the error: the chunks or segments that the peer accepts per call, or the bytes that the
     * reply needs. In {@code RDMA2_ERR_WRITE_RESOURCE} the number of the write chunk, from 1 on, comes first. {@code
     * ERR_VERS} has the lowest and the highest version that the peer speaks, {@code ERR_CHUNK} nothing.
     */
    public List<Long> numbers() {
        return Arrays.stream(numbers).boxed().toList();
    }
}
