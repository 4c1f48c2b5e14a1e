// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.rpc.RpcProgramHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * NFS version 3 (RFC 1813) for one connection. Procedures run on workers, for files make event loops wait; replies are
 * sent as they are ready, in any order. As a handler, it notes what its procedures are not told: the XID of a call.
 *
 * <p>Threading: {@link #execute} on workers, the rest on the event loop.
 */
final class Nfs3Program extends ChannelInboundHandlerAdapter {

    private static final int VERSION = RpcPrograms.NFS_VERSION;
    private static final int RESULT_BYTES = 512;

    private final Channel channel;
    private final InetAddress client;
    private final Export export;
    private final Executor workers;
    private final PeerLog log;
    private int xid;

    private Nfs3Program(Channel channel, Export export, Executor workers, PeerLog log) {
        this.channel = channel;
        this.export = export;
        this.workers = workers;
        this.log = log;
        client = ((InetSocketAddress) channel.remoteAddress()).getAddress();
    }

    /** Adds the program to a connection, behind the transport. */
    static void addTo(Channel channel, Export export, Executor workers, PeerLog log) {
        Nfs3Program nfs = new Nfs3Program(channel, export, workers, log);
        RpcProgramHandler program = RpcProgramHandler.of(RpcPrograms.NFS, VERSION, VERSION);
        for (Nfs3Procedure procedure : Nfs3Procedure.values()) {
            if (procedure != Nfs3Procedure.NULL) {
                program = program.futureProcedure(VERSION, procedure.number(), in -> nfs.submit(procedure, in));
            }
        }
        channel.pipeline().addLast(nfs, program);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        xid = RpcHeaders.xidOrZero((ByteBuf) message);
        context.fireChannelRead(message);
    }

    private Future<ByteBuf> submit(Nfs3Procedure procedure, ByteBuf in) {
        Promise<ByteBuf> results = ImmediateEventExecutor.INSTANCE.newPromise();
        int callXid = xid;
        workers.execute(() -> {
            @Nullable ByteBuf out = null;
            try {
                out = channel.alloc().directBuffer(RESULT_BYTES);
                NfsCall call = new NfsCall(export, in, out);
                if (channel.isActive()) { // else the client makes the call again
                    execute(procedure, callXid, call);
                }
                results.setSuccess(out);
            } catch (Throwable e) { // Errors too: the caller waits
                if (out != null) {
                    out.release();
                }
                results.setFailure(e);
            }
        });
        return results;
    }

    private static long checksum(ByteBuf arguments) {
        CRC32C crc = new CRC32C();
        crc.update(arguments.nioBuffer());
        return crc.getValue() << 32 | arguments.readableBytes();
    }

    private void execute(Nfs3Procedure procedure, int callXid, NfsCall call) {
        export.calls.increment();
        switch (procedure) {
            case SETATTR, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK ->
                executeOnce(procedure, new ReplyCache.Key(callXid, procedure.number(), checksum(call.in)), call);
            default -> executeNow(procedure, call);
        }
    }

    private void executeOnce(Nfs3Procedure procedure, ReplyCache.Key key, NfsCall call) {
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        @Nullable CompletableFuture<byte[]> earlier = export.replies.begin(client, key, mine);
        if (earlier != null) {
            call.out.writeBytes(earlier.join());
            return;
        }
        try {
            if (executeNow(procedure, call) == Nfs3Status.JUKEBOX) {
                export.replies.forget(client, key); // the client comes again, perhaps with the same XID
            }
            mine.complete(ByteBufUtil.getBytes(call.out));
        } finally {
            if (!mine.isDone()) {
                export.replies.forget(client, key);
                mine.cancel(false);
            }
        }
    }

    /** Executes a call and writes its result, status first. */
    private Nfs3Status executeNow(Nfs3Procedure procedure, NfsCall call) {
        call.out.writeInt(Nfs3Status.OK.code());
        try {
            run(procedure, call);
            return Nfs3Status.OK;
        } catch (IOException e) {
            Nfs3Status status = HostErrors.status(e, export.root, likely(procedure));
            if (status == Nfs3Status.JUKEBOX) {
                log.fault("out of file descriptors; raise the limit (ulimit -n)");
                export.open.close(node -> true);
            }
            fail(procedure, call, status);
            return status;
        } finally {
            call.unlock();
        }
    }

    private void run(Nfs3Procedure procedure, NfsCall call) throws IOException {
        switch (procedure) {
            case NULL -> {}
            case GETATTR -> FileProcedures.getattr(call);
            case SETATTR -> FileProcedures.setattr(call);
            case LOOKUP -> NameProcedures.lookup(call);
            case ACCESS -> FileProcedures.access(call);
            case READLINK -> NameProcedures.readlink(call);
            case READ -> FileProcedures.read(call);
            case WRITE -> FileProcedures.write(call);
            case CREATE -> NameProcedures.create(call);
            case MKDIR -> NameProcedures.mkdir(call);
            case SYMLINK -> NameProcedures.symlink(call);
            case MKNOD -> NameProcedures.mknod(call);
            case REMOVE -> NameProcedures.remove(call, false);
            case RMDIR -> NameProcedures.remove(call, true);
            case RENAME -> NameProcedures.rename(call);
            case LINK -> NameProcedures.link(call);
            case READDIR -> export.directories.readdir(call, false);
            case READDIRPLUS -> export.directories.readdir(call, true);
            case FSSTAT -> FileProcedures.fsstat(call);
            case FSINFO -> FileProcedures.fsinfo(call);
            case PATHCONF -> FileProcedures.pathconf(call);
            case COMMIT -> FileProcedures.commit(call);
        }
    }

    /** The usual reason for a failure of which neither Java nor the host shows the reason. */
    private static Nfs3Status likely(Nfs3Procedure procedure) {
        return switch (procedure) {
            case SETATTR, REMOVE, RMDIR -> Nfs3Status.PERM; // of another user, or immutable
            case CREATE, MKDIR, SYMLINK -> Nfs3Status.NOSPC; // no inode, or a quota
            case LINK -> Nfs3Status.XDEV; // or the file system has no links
            case RENAME -> Nfs3Status.INVAL; // of a directory to a place below itself
            default -> Nfs3Status.IO;
        };
    }

    /** Writes the result of a failed call: the status, and the attributes that its procedure has. */
    private static void fail(Nfs3Procedure procedure, NfsCall call, Nfs3Status status) {
        call.out.clear().writeInt(status.code());
        switch (procedure) {
            case NULL, GETATTR -> {}
            case SETATTR, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, COMMIT -> call.writeWcc(0);
            case RENAME -> call.writeWcc(0).writeWcc(1);
            case LINK -> call.writePostOp(0).writeWcc(1);
            default -> call.writePostOp(0);
        }
    }
}
