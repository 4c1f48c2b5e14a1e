// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.nettyrdma.examples.guard.ServerLog;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.apache.hadoop.oncrpc.RpcCall;
import org.apache.hadoop.oncrpc.security.Credentials;
import org.apache.hadoop.oncrpc.security.CredentialsSys;
import org.jspecify.annotations.Nullable;

/** NFS version 3 (RFC 1813) for one export. */
@Sharable
final class Nfs3Program extends WorkerProgram {

    private final LocalStore store;
    private final Identity.Mapper identities;
    private final boolean stable;
    private final @Nullable Consumer<String> accessLog;
    private final ReplyCache repliesToRepeat = new ReplyCache(System::nanoTime);
    private final LongAdder callCount = new LongAdder();
    private final LongAdder inBytes = new LongAdder();
    private final LongAdder outBytes = new LongAdder();

    /**
     * @param stable    whether changes are on stable storage before they are answered, as RFC 1813, section 4.8, wants
     *                  it
     * @param log       gets a line per connection and per call that fails, on any thread
     * @param accessLog gets a line per call, on workers; null for none
     */
    Nfs3Program(
            LocalStore store,
            Identity.Mapper identities,
            boolean stable,
            Executor workers,
            ServerLog log,
            @Nullable Consumer<String> accessLog) {
        super("NFS", RpcPrograms.NFS, RpcPrograms.NFS_VERSION, workers, log);
        this.store = store;
        this.identities = identities;
        this.stable = stable;
        this.accessLog = accessLog;
    }

    @Override
    ConnectionLimits limitsOverTcp() {
        return ConnectionLimits.NFS;
    }

    @Override
    boolean isProcedure(int number) {
        return ServedProcedure.of(number) != null;
    }

    @Override
    protected boolean isIdempotent(RpcCall call) {
        ServedProcedure procedure = ServedProcedure.of(call.getProcedure());
        return procedure == null || !procedure.isRepeatWrong();
    }

    private static ServedProcedure procedure(RpcCall call) {
        ServedProcedure procedure = ServedProcedure.of(call.getProcedure());
        if (procedure == null) {
            throw new IllegalStateException("procedure " + call.getProcedure());
        }
        return procedure;
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
        ReplyCache.Key key = new ReplyCache.Key(
                peer.getAddress(), user(call.getCredential()), call.getXid(), call.getProcedure(), checksum(arguments));
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        @Nullable CompletableFuture<byte[]> earlier = repliesToRepeat.begin(key, mine);
        if (earlier != null) {
            out.writeBytes(earlier.join());
            return;
        }
        int start = out.writerIndex();
        try {
            executeNow(call, peer, arguments, out);
            byte[] result = new byte[out.writerIndex() - start];
            out.getBytes(start, result);
            mine.complete(result);
        } finally {
            if (!mine.isDone()) {
                repliesToRepeat.forget(key);
                mine.completeExceptionally(new IllegalStateException("the call ended without a result"));
            }
        }
    }

    private void executeNow(RpcCall call, InetSocketAddress peer, ByteBuf arguments, ByteBuf out)
            throws GarbageException {
        long start = System.nanoTime();
        ServedProcedure procedure = procedure(call);
        Identity caller = identities.of(call.getCredential());
        NfsCall work = new NfsCall(store, caller, new Arguments(arguments), out, stable);
        Nfs3Status status = procedure.execute(work);
        if (accessLog != null) {
            accessLog.accept(String.format(
                    Locale.ROOT,
                    "%s:%d uid %d %s %s %s %.2f ms",
                    peer.getHostString(),
                    peer.getPort(),
                    Integer.toUnsignedLong(caller.uid()),
                    procedure,
                    work.about().isEmpty() ? "/" : work.about(),
                    status,
                    (System.nanoTime() - start) / 1e6));
        }
    }

    /** Who a call is from: user, group, and further groups; empty if it does not say. */
    private static List<Integer> user(Credentials credentials) {
        List<Integer> user = new ArrayList<>();
        if (credentials instanceof CredentialsSys sys) {
            user.add(sys.getUID());
            user.add(sys.getGID());
            for (int group : sys.getAuxGIDs()) {
                user.add(group);
            }
        }
        return user;
    }

    private static long checksum(ByteBuf arguments) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : arguments.nioBuffers()) {
            crc.update(part);
        }
        return crc.getValue() << 32 | arguments.readableBytes();
    }

    @Override
    void refuse(RpcCall call, ByteBuf out) {
        Arguments none = new Arguments(Unpooled.EMPTY_BUFFER);
        procedure(call)
                .refuse(new NfsCall(store, identities.of(call.getCredential()), none, out, false), Nfs3Status.JUKEBOX);
    }

    /** One line about everything so far. */
    String summary() {
        return String.format(
                Locale.ROOT,
                "%,d calls, %,.1f MiB in, %,.1f MiB out",
                callCount.sum(),
                inBytes.sum() / 1048576.0,
                outBytes.sum() / 1048576.0);
    }
}
