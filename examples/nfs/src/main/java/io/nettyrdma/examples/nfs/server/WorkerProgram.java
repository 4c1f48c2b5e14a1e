// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.guard.ServerLog;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.hadoop.oncrpc.RpcAcceptedReply;
import org.apache.hadoop.oncrpc.RpcAcceptedReply.AcceptState;
import org.apache.hadoop.oncrpc.RpcCall;
import org.apache.hadoop.oncrpc.RpcInfo;
import org.apache.hadoop.oncrpc.RpcProgram;
import org.apache.hadoop.oncrpc.RpcResponse;
import org.apache.hadoop.oncrpc.RpcUtil;
import org.apache.hadoop.oncrpc.XDR;
import org.apache.hadoop.oncrpc.security.VerifierNone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program of Hadoop's RPC stack whose procedures run on workers, for files make event loops wait. Replies are sent as
 * they are ready, in any order.
 *
 * <p>Threading: shared by all channels; {@link #execute} runs on workers. Ownership: keeps a call's buffer until the
 * reply is written.
 */
abstract class WorkerProgram extends RpcProgram {

    private static final Logger logger = LoggerFactory.getLogger(WorkerProgram.class);

    /** Room for most results; buffers grow. */
    private static final int RESULT_BYTES = 512;

    private final Executor workers;
    final ServerLog log;

    /**
     * Ports of clients say nothing about who they are (RDMA clients have ephemeral ones), and nothing is registered
     * with a port mapper.
     *
     * @param log gets a line per connection and per call that fails; a peer may cause as many as it likes
     */
    WorkerProgram(String name, int number, int version, Executor workers, ServerLog log) {
        super(name, "localhost", 0, number, version, version, null, true);
        this.workers = workers;
        this.log = log;
    }

    /** What a TCP connection to this program may have. */
    abstract CallLimit limitOverTcp();

    /** Whether there is such a procedure. */
    abstract boolean isProcedure(int number);

    /**
     * Executes a call.
     *
     * @param out the results go here, behind the header of the reply
     * @throws GarbageException if the arguments are not the procedure's
     */
    abstract void execute(RpcCall call, InetSocketAddress peer, ByteBuf arguments, ByteBuf out) throws GarbageException;

    /** Says that the server has too much to do. */
    abstract void refuse(RpcCall call, ByteBuf out);

    @Override
    protected final void handleInternal(ChannelHandlerContext context, RpcInfo info) {
        RpcCall call = (RpcCall) info.header();
        if (!isProcedure(call.getProcedure())) {
            send(context, info, header(context.alloc().buffer(), call, AcceptState.PROC_UNAVAIL));
            return;
        }
        info.data().retain(); // the superclass releases it when this method returns
        try {
            workers.execute(() -> {
                try {
                    // Nobody hears of a call whose connection has ended, and its client makes it again.
                    if (context.channel().isActive()) {
                        send(context, info, reply(context, call, info));
                    }
                } finally {
                    info.data().release();
                }
            });
        } catch (RejectedExecutionException e) {
            info.data().release();
            ByteBuf busy = header(context.alloc().buffer(), call, AcceptState.SUCCESS);
            refuse(call, busy);
            send(context, info, busy);
        }
    }

    private ByteBuf reply(ChannelHandlerContext context, RpcCall call, RpcInfo info) {
        ByteBuf out = context.alloc().directBuffer(RESULT_BYTES);
        try {
            header(out, call, AcceptState.SUCCESS);
            execute(call, (InetSocketAddress) info.remoteAddress(), info.data(), out);
        } catch (GarbageException e) {
            header(out.clear(), call, AcceptState.GARBAGE_ARGS);
        } catch (RuntimeException | OutOfMemoryError | LinkageError e) {
            log.fault(info.remoteAddress() + " gets SYSTEM_ERR from procedure " + call.getProcedure() + " of "
                    + getClass().getSimpleName() + ": " + e);
            logger.debug("{} procedure {} failed", this, call.getProcedure(), e);
            header(out.clear(), call, AcceptState.SYSTEM_ERR);
        }
        return out;
    }

    private static ByteBuf header(ByteBuf out, RpcCall call, AcceptState state) {
        XDR header = new XDR();
        RpcAcceptedReply.getInstance(call.getXid(), state, new VerifierNone()).write(header);
        return out.writeBytes(header.asReadOnlyWrap().buffer());
    }

    /** From any thread; Netty takes it to the event loop. */
    private static void send(ChannelHandlerContext context, RpcInfo info, ByteBuf reply) {
        try {
            RpcUtil.sendRpcResponse(context, new RpcResponse(reply, info.remoteAddress()));
        } catch (RejectedExecutionException e) {
            reply.release(); // the event loop has ended, and the connection with it
        }
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.accept(context.channel().remoteAddress() + " closed: " + PeerText.reason(cause));
        context.close();
    }
}
