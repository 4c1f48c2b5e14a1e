// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.nettyrdma.examples.guard.ServerLog;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.apache.hadoop.oncrpc.RpcCall;
import org.apache.hadoop.oncrpc.security.CredentialsSys;
import org.jspecify.annotations.Nullable;

/** NFS version 3 (RFC 1813) for one export. */
@Sharable
final class Nfs3Program extends WorkerProgram {

    private final Export export;
    private final boolean stable;
    private final @Nullable Consumer<String> accessLog;
    private final DirectoryProcedures directories = new DirectoryProcedures();
    private final ReplyCache repliesToRepeat = new ReplyCache(System::nanoTime);
    private final LongAdder callCount = new LongAdder();
    private final LongAdder inBytes = new LongAdder();
    private final LongAdder outBytes = new LongAdder();

    /**
     * The program.
     *
     * @param stable    whether changes are on the disk before they are answered (RFC 1813, section 4.8)
     * @param log       gets a line per call that fails, on any thread
     * @param accessLog gets a line per call, on workers; null for none
     */
    Nfs3Program(Export export, boolean stable, Executor workers, ServerLog log, @Nullable Consumer<String> accessLog) {
        super("NFS", RpcPrograms.NFS, RpcPrograms.NFS_VERSION, workers, log);
        this.export = export;
        this.stable = stable;
        this.accessLog = accessLog;
    }

    @Override
    CallLimit limitOverTcp() {
        return CallLimit.ofNfs(log);
    }

    @Override
    boolean isProcedure(int number) {
        return Nfs3Procedure.of(number) != null;
    }

    private static Nfs3Procedure procedure(RpcCall call) {
        Nfs3Procedure procedure = Nfs3Procedure.of(call.getProcedure());
        if (procedure == null) {
            throw new IllegalStateException("procedure " + call.getProcedure());
        }
        return procedure;
    }

    @Override
    protected boolean isIdempotent(RpcCall call) {
        return switch (procedure(call)) {
            case SETATTR, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK -> false;
            default -> true;
        };
    }

    @Override
    void execute(RpcCall call, InetSocketAddress peer, ByteBuf arguments, ByteBuf out) throws GarbageException {
        callCount.increment();
        inBytes.add(arguments.readableBytes());
        if (isIdempotent(call)) {
            executeNow(call, peer, arguments, out);
        } else {
            executeOnce(call, peer, arguments, out);
        }
        outBytes.add(out.readableBytes());
    }

    private void executeOnce(RpcCall call, InetSocketAddress peer, ByteBuf arguments, ByteBuf out)
            throws GarbageException {
        InetAddress client = peer.getAddress();
        ReplyCache.Key key = new ReplyCache.Key(call.getXid(), call.getProcedure(), checksum(arguments));
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        @Nullable CompletableFuture<byte[]> earlier = repliesToRepeat.begin(client, key, mine);
        if (earlier != null) {
            out.writeBytes(earlier.join());
            return;
        }
        int start = out.writerIndex();
        try {
            Nfs3Status status = executeNow(call, peer, arguments, out);
            byte[] result = new byte[out.writerIndex() - start];
            out.getBytes(start, result);
            if (status == Nfs3Status.JUKEBOX) {
                repliesToRepeat.forget(client, key); // the client comes again, perhaps with the same XID
            }
            mine.complete(result);
        } finally {
            if (!mine.isDone()) {
                repliesToRepeat.forget(client, key);
                mine.completeExceptionally(new IllegalStateException("the call ended without a result"));
            }
        }
    }

    private static long checksum(ByteBuf arguments) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : arguments.nioBuffers()) {
            crc.update(part);
        }
        return crc.getValue() << 32 | arguments.readableBytes();
    }

    private Nfs3Status executeNow(RpcCall call, InetSocketAddress peer, ByteBuf arguments, ByteBuf out)
            throws GarbageException {
        long start = System.nanoTime();
        Nfs3Procedure procedure = procedure(call);
        Nfs3Status status = Nfs3Status.OK;
        NfsCall work = new NfsCall(export, new Arguments(arguments), out, stable);
        if (procedure != Nfs3Procedure.NULL) { // the only result without a status
            status = execute(procedure, work);
        }
        if (accessLog != null) {
            accessLog.accept(String.format(
                    Locale.ROOT,
                    "%s:%d uid %s %s %s %s %.2f ms",
                    peer.getHostString(),
                    peer.getPort(),
                    call.getCredential() instanceof CredentialsSys sys ? Integer.toUnsignedString(sys.getUID()) : "-",
                    procedure,
                    work.names(),
                    status,
                    (System.nanoTime() - start) / 1e6));
        }
        return status;
    }

    /** Executes a call and writes its result, status first. */
    private Nfs3Status execute(Nfs3Procedure procedure, NfsCall call) throws GarbageException {
        int start = call.out.writerIndex();
        call.out.writeInt(Nfs3Status.OK.code());
        Nfs3Status status;
        try (call) {
            try {
                run(procedure, call);
                call.finish();
                return Nfs3Status.OK;
            } catch (NfsException e) {
                status = e.status();
            } catch (IOException e) {
                status = HostErrors.status(e, call.place(), likely(procedure));
                if (status == Nfs3Status.JUKEBOX) {
                    log.fault("out of file descriptors; raise the limit (ulimit -n)");
                    export.open.close();
                }
            }
            call.out.writerIndex(start);
            fail(procedure, call, status);
        } catch (IOException e) {
            log.fault("closing a file failed: " + e.getClass().getSimpleName());
            status = Nfs3Status.IO;
        }
        return status;
    }

    private void run(Nfs3Procedure procedure, NfsCall call) throws IOException, NfsException, GarbageException {
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
            case REMOVE -> NameProcedures.remove(call);
            case RMDIR -> NameProcedures.rmdir(call);
            case RENAME -> NameProcedures.rename(call);
            case LINK -> NameProcedures.link(call);
            case READDIR -> directories.readdir(call);
            case READDIRPLUS -> directories.readdirplus(call);
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
            case LINK -> Nfs3Status.NOTSUPP; // by the file system
            default -> Nfs3Status.IO;
        };
    }

    /** Writes the result of a failed call: the status, and the attributes that its procedure has. */
    private static void fail(Nfs3Procedure procedure, NfsCall call, Nfs3Status status) {
        call.out.writeInt(status.code());
        switch (procedure) {
            case NULL, GETATTR -> {}
            case SETATTR, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, COMMIT -> call.writeWcc(0);
            case RENAME -> {
                call.writeWcc(0);
                call.writeWcc(1);
            }
            case LINK -> {
                call.writePostOp(0);
                call.writeWcc(1);
            }
            default -> call.writePostOp(0);
        }
    }

    @Override
    void refuse(RpcCall call, ByteBuf out) {
        if (procedure(call) != Nfs3Procedure.NULL) {
            NfsCall refused = new NfsCall(export, new Arguments(Unpooled.EMPTY_BUFFER), out, false);
            fail(procedure(call), refused, Nfs3Status.JUKEBOX);
        }
    }

    /** One line about all calls so far. */
    String summary() {
        return String.format(
                Locale.ROOT,
                "%,d calls, %,.1f MiB in, %,.1f MiB out",
                callCount.sum(),
                inBytes.sum() / 1048576.0,
                outBytes.sum() / 1048576.0);
    }
}
