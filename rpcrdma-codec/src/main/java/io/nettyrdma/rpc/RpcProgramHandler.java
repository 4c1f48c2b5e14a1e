// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.internal.PipelinePlace;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Serves one ONC RPC program: each procedure is a function from arguments to results. Add this handler behind {@link
 * RpcRdmaResponderHandler} or {@link RpcRdmaReverseResponderHandler}:
 *
 * <pre>{@code
 * RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 2, 3) // versions 2 to 3
 *         .procedure(3, 7, arguments -> Unpooled.copyInt(arguments.readInt() + 1));
 * channel.pipeline().addLast(new RpcRdmaResponderHandler(), program);
 * }</pre>
 *
 * <p>This handler answers every call, as RFC 5531, section 9, says:
 *
 * <ul>
 *   <li>SUCCESS with the results of the function, or without results for a NULL procedure (number 0) that is not given;
 *   <li>PROG_UNAVAIL, PROG_MISMATCH or PROC_UNAVAIL if there is no such program, version or procedure;
 *   <li>GARBAGE_ARGS if the function throws, or its future fails with, an {@link IndexOutOfBoundsException}, as reading
 *       beyond the end of a {@code ByteBuf} does, or a {@link DecoderException}; also if the header of the call is cut
 *       short or its credential is too long;
 *   <li>SYSTEM_ERR if it ends with any other exception, or its results are {@code null} or no whole 4-byte words;
 *   <li>RPC_MISMATCH for other versions of RPC, and AUTH_ERROR (AUTH_BADCRED) for RPCSEC_GSS, which this handler cannot
 *       check. It passes over all other credentials unread.
 * </ul>
 *
 * <p>The log names the failure behind GARBAGE_ARGS and SYSTEM_ERR, and a PROC_UNAVAIL of a handler whose {@link
 * #procedure} has returned another one, in a limited number of lines. If the requester has no room for the results, the
 * responder below ends the call with {@code ERR_CHUNK}. So no call keeps its credit longer than its function or future
 * takes. Messages that are no calls pass through to the next handler; the log names the first of an RDMA channel
 * without a responder in front.
 *
 * <p>Threading: immutable, for any number of channels. Functions run on the executor of the handler and must not block,
 * as its other channels wait meanwhile ({@link #futureProcedure}); a future may complete on any thread. Ownership:
 * arguments belong to this handler, and live until the function returns, or its future completes; a function that keeps
 * them longer retains them. Results pass to this handler.
 */
@Sharable
public final class RpcProgramHandler extends ChannelInboundHandlerAdapter {

    private static final PeerLog LOG = PeerLog.of(RpcProgramHandler.class);

    /** Whether a message has passed through that is no call. */
    private static final AttributeKey<Boolean> HAS_PASSED = AttributeKey.valueOf(RpcProgramHandler.class, "hasPassed");

    private static final int RPC_VERSION_OFFSET = 8;
    private static final int FLAVOR_OFFSET = 24;
    private static final int RPCSEC_GSS = 6;

    /**
     * A procedure of a program.
     *
     * @param <R> what it returns: the results, or their future
     */
    @FunctionalInterface
    public interface Procedure<R> {

        /**
         * Executes a call.
         *
         * @param arguments behind credential and verifier
         * @return the XDR of the results, in whole 4-byte words, empty if there are none, or a future of it. Read the
         *         arguments before you allocate the results: reading may throw
         * @throws Exception if there are no results; see {@link RpcProgramHandler}
         */
        R call(ByteBuf arguments) throws Exception;
    }

    private final int program;
    private final int lowVersion;
    private final int highVersion;
    /** By version and number, whose results are a buffer or a future of one. Never changes. */
    private final LongObjectMap<Procedure<?>> procedures;

    private final PeerLog log;
    /** Whether there is another handler with more procedures: a program that drops it misses them. */
    private volatile boolean extended;

    private RpcProgramHandler(
            int program, int lowVersion, int highVersion, LongObjectMap<Procedure<?>> procedures, PeerLog log) {
        this.program = program;
        this.lowVersion = lowVersion;
        this.highVersion = highVersion;
        this.procedures = procedures;
        this.log = log;
    }

    /**
     * Returns a handler of a program that has NULL procedures only.
     *
     * @param program     any 32 bits
     * @param lowVersion  lowest version, any 32 bits, unsigned
     * @param highVersion highest version, at least {@code lowVersion}; versions between exist, too
     * @throws IllegalArgumentException if {@code highVersion} is less
     */
    public static RpcProgramHandler of(int program, int lowVersion, int highVersion) {
        if (Integer.compareUnsigned(lowVersion, highVersion) > 0) {
            throw new IllegalArgumentException("highVersion: " + Integer.toUnsignedString(highVersion)
                    + " (expected: >= lowVersion " + Integer.toUnsignedString(lowVersion) + ")");
        }
        return new RpcProgramHandler(program, lowVersion, highVersion, new LongObjectHashMap<>(), LOG);
    }

    /**
     * Returns another handler: this program with another procedure, whose function returns the results. This handler
     * stays as it is. The function holds up its event loop, and all channels there; give one that blocks to {@link
     * #futureProcedure}.
     *
     * @param version in the range of the program
     * @param number  any 32 bits; 0 replaces the NULL procedure
     * @throws IllegalArgumentException if the version is out of range, or has such a procedure already
     */
    public RpcProgramHandler procedure(int version, int number, Procedure<ByteBuf> function) {
        return with(version, number, function);
    }

    /**
     * Returns another handler: this program with another procedure, whose function returns a future of the results. A
     * future that never completes keeps the credit of its call. A function that blocks belongs on an {@code
     * EventExecutorGroup} of the program's: {@code arguments -> executors.submit(() -> execute(arguments))}.
     *
     * @param version in the range of the program
     * @param number  any 32 bits; 0 replaces the NULL procedure
     * @throws IllegalArgumentException if the version is out of range, or has such a procedure already
     */
    public RpcProgramHandler futureProcedure(int version, int number, Procedure<? extends Future<ByteBuf>> function) {
        return with(version, number, function);
    }

    /** Returns this program with another log of failures. */
    RpcProgramHandler log(PeerLog other) {
        return new RpcProgramHandler(program, lowVersion, highVersion, procedures, other);
    }

    private RpcProgramHandler with(int version, int number, Procedure<?> function) {
        Objects.requireNonNull(function, "function");
        if (!hasVersion(version)) {
            throw new IllegalArgumentException("version: " + Integer.toUnsignedString(version) + " (expected: "
                    + Integer.toUnsignedString(lowVersion) + " to " + Integer.toUnsignedString(highVersion) + ")");
        }
        LongObjectMap<Procedure<?>> more = new LongObjectHashMap<>();
        more.putAll(procedures);
        if (more.put(key(version, number), function) != null) {
            throw new IllegalArgumentException("procedure " + Integer.toUnsignedString(number) + " of version "
                    + Integer.toUnsignedString(version) + ": given already; give each procedure once");
        }
        extended = true;
        return new RpcProgramHandler(program, lowVersion, highVersion, more, log);
    }

    private boolean hasVersion(int version) {
        return Integer.compareUnsigned(version, lowVersion) >= 0 && Integer.compareUnsigned(version, highVersion) <= 0;
    }

    private static long key(int version, int number) {
        return (long) version << Integer.SIZE | Integer.toUnsignedLong(number);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf call) || !RpcHeaders.isOfType(call, RpcHeaders.CALL)) {
            warnIfWithoutResponder(ctx, msg);
            ctx.fireChannelRead(msg);
            return;
        }
        RpcCallHeader header = RpcCallHeader.parse(call);
        final ByteBuf refusal;
        try {
            refusal = refusal(ctx, call, header);
        } catch (OutOfMemoryError e) {
            onNoMemory(ctx, RpcHeaders.xid(call), e);
            call.release();
            return;
        }
        if (refusal == null) {
            execute(ctx, call, Objects.requireNonNull(header));
        } else {
            call.release();
            ctx.write(refusal);
        }
    }

    /** Once for a channel; one that is not of RDMA has other handlers for its messages, such as record marks. */
    private void warnIfWithoutResponder(ChannelHandlerContext ctx, Object msg) {
        if (msg instanceof ByteBuf
                && ctx.channel() instanceof RdmaChannel channel
                && channel.attr(HAS_PASSED).setIfAbsent(true) == null
                && !PipelinePlace.isInFront(ctx, ResponderHandler.class)) {
            log.warn(() -> channel + ": RpcProgramHandler gets no calls, as no responder is in front of it; add one, as"
                    + " in pipeline.addLast(new RpcRdmaResponderHandler(), program)");
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.flush();
        ctx.fireChannelReadComplete();
    }

    /** Returns the answer to a call that cannot be executed, {@code null} if it can be. */
    private @Nullable ByteBuf refusal(ChannelHandlerContext ctx, ByteBuf call, @Nullable RpcCallHeader header) {
        int xid = RpcHeaders.xid(call);
        if (header == null) {
            boolean otherRpc = call.readableBytes() >= RPC_VERSION_OFFSET + 4
                    && call.getInt(call.readerIndex() + RPC_VERSION_OFFSET) != RpcHeaders.RPC_VERSION;
            return otherRpc
                    ? RpcHeaders.rpcMismatch(ctx.alloc(), xid)
                    : RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.GARBAGE_ARGS);
        }
        if (call.getInt(call.readerIndex() + FLAVOR_OFFSET) == RPCSEC_GSS) {
            return RpcHeaders.badCredential(ctx.alloc(), xid);
        }
        if (header.program() != program) {
            return RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.PROG_UNAVAIL);
        }
        if (!hasVersion(header.version())) {
            return RpcHeaders.programMismatch(ctx.alloc(), xid, lowVersion, highVersion);
        }
        if (procedures.containsKey(key(header.version(), header.procedure()))) {
            return null;
        }
        if (header.procedure() == 0) {
            return RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.SUCCESS);
        }
        if (extended) {
            log.warn(() ->
                    ctx.channel() + ": " + header.name() + " is unavailable in this handler, whose procedure() has"
                            + " returned another with more; add that one to the pipeline");
        }
        return RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.PROC_UNAVAIL);
    }

    /** Executes a call, and releases it when it has ended. */
    private void execute(ChannelHandlerContext ctx, ByteBuf call, RpcCallHeader header) {
        Object results = null;
        Throwable failure = null;
        try {
            ByteBuf arguments = RpcHeaders.arguments(call);
            results = procedures.get(key(header.version(), header.procedure())).call(arguments);
        } catch (Throwable e) {
            failure = e; // Errors too: the caller waits, and its credit with it
        }
        if (results instanceof Future<?> pending && !pending.isDone()) {
            @SuppressWarnings("unchecked") // the parameter of futureProcedure
            Future<ByteBuf> future = (Future<ByteBuf>) pending;
            future.addListener(done -> onDone(ctx, call, header, future));
        } else if (results instanceof Future<?> done) {
            end(ctx, call, header, (ByteBuf) done.getNow(), done.cause());
        } else {
            end(ctx, call, header, (ByteBuf) results, failure);
        }
    }

    private void onDone(ChannelHandlerContext ctx, ByteBuf call, RpcCallHeader header, Future<ByteBuf> future) {
        Runnable end = () -> {
            end(ctx, call, header, future.getNow(), future.cause());
            ctx.flush();
        };
        if (ctx.executor().inEventLoop()) {
            end.run();
            return;
        }
        try {
            ctx.executor().execute(end);
        } catch (RejectedExecutionException e) { // the loop has ended, and the channel with it
            call.release();
            ReferenceCountUtil.release(future.getNow());
        }
    }

    private void end(
            ChannelHandlerContext ctx,
            ByteBuf call,
            RpcCallHeader header,
            @Nullable ByteBuf results,
            @Nullable Throwable failure) {
        call.release();
        Throwable cause = results == null ? failure : unusable(results);
        final ByteBuf reply;
        try {
            int status = results != null && cause == null ? RpcHeaders.SUCCESS : status(ctx, header, cause);
            reply = RpcHeaders.accepted(ctx.alloc(), header.xid(), status);
        } catch (OutOfMemoryError e) {
            release(results);
            onNoMemory(ctx, header.xid(), e);
            return;
        }
        if (results != null && cause == null && results.isReadable()) {
            ctx.write(ctx.alloc().compositeBuffer(2).addComponents(true, reply, results));
        } else {
            release(results);
            ctx.write(reply);
        }
    }

    private static void release(@Nullable ByteBuf results) {
        if (results != null && results.refCnt() > 0) {
            results.release();
        }
    }

    /** Returns what is wrong with results, {@code null} if nothing is. */
    private static @Nullable Throwable unusable(ByteBuf results) {
        if (results.refCnt() == 0) {
            return new IllegalStateException(
                    "the results were released (expected: one reference; retain arguments that you return)");
        }
        return XdrLengths.isWholeWords(results.readableBytes())
                ? null
                : new IllegalStateException(
                        "results of " + results.readableBytes() + " bytes (expected: whole 4-byte words)");
    }

    /** Ends a call without a reply, for which there is no memory: the caller learns it at once. */
    private void onNoMemory(ChannelHandlerContext ctx, int xid, OutOfMemoryError cause) {
        log.error(() -> ctx.channel() + ": no memory for a reply", cause);
        ctx.write(new RpcCallRefusal(xid));
    }

    private int status(ChannelHandlerContext ctx, RpcCallHeader header, @Nullable Throwable failure) {
        Throwable cause = failure != null
                ? failure
                : new IllegalStateException(
                        "the results are null; return Unpooled.EMPTY_BUFFER for a reply without results");
        if (cause instanceof IndexOutOfBoundsException || cause instanceof DecoderException) {
            log.warn(() -> ctx.channel() + ": arguments of " + header.name() + " cannot be decoded", cause);
            return RpcHeaders.GARBAGE_ARGS;
        }
        log.error(() -> ctx.channel() + ": " + header.name() + " failed", cause);
        return RpcHeaders.SYSTEM_ERR;
    }
}
