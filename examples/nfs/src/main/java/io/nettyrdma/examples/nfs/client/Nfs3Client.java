// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseNotifier;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.nfs.client.Replies.Decoder;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.CreateMode;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Stability;
import io.nettyrdma.examples.nfs.protocol.WccData;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * NFS version 3 (RFC 1813) over RPC-over-RDMA: a method per procedure, a future per call.
 *
 * <p>A future fails with {@link Nfs3Exception} if the server says that the procedure failed, with another
 * {@link IOException} if there is no answer or it cannot be understood.
 *
 * <p>Threading: any thread; futures complete on the connection's event loop. Ownership: owns the connection, to be
 * closed; buffers as each method says.
 */
public final class Nfs3Client implements AutoCloseable {

    /**
     * A file or directory that LOOKUP found or CREATE made.
     *
     * @param handle     its handle
     * @param attributes its attributes, unless the server left them out
     */
    public record FoundFile(FileHandle handle, @Nullable FileAttributes attributes) {

        private static FoundFile read(ByteBuf in) {
            return new FoundFile(FileHandle.read(in), FileAttributes.readOptional(in));
        }
    }

    private static final int MAX_PATH_BYTES = 1 << 16;
    private static final int XID_OFFSET = 0;
    private static final long FIRST_DELAY_MILLIS = 100;
    private static final long LONGEST_DELAY_MILLIS = 5000;

    /** How long a server may be away at first; later its absence is an interruption. */
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private final RpcRdmaClient client;
    private final AuthSys credential;
    private final Duration timeout;
    private final String server;
    private final ByteBufAllocator alloc = ByteBufAllocator.DEFAULT;

    private Nfs3Client(RpcRdmaClient client, AuthSys credential, Duration timeout, String server) {
        this.client = client;
        this.credential = credential;
        this.timeout = timeout;
        this.server = server;
    }

    /**
     * Connects to a server, and again whenever the connection is lost while there are calls. They are sent again then,
     * whether they are idempotent or not: servers remember the replies of those that are not, at least until they
     * restart.
     *
     * @param group      event loops with an {@link io.nettyrdma.channel.RdmaIoHandler}
     * @param server     address; the port is usually 20049
     * @param credential of all calls
     * @param config     also says how long a call may take, interruptions included
     */
    public static Nfs3Client connect(
            EventLoopGroup group, InetSocketAddress server, AuthSys credential, RpcRdmaConfig config)
            throws IOException, InterruptedException {
        RpcRdmaClient client = RpcRdmaClient.builder(
                        new Bootstrap().group(group).channel(RdmaChannel.class).remoteAddress(server))
                .config(config)
                .retransmission(RpcRdmaClient.Retransmission.ALL)
                .build();
        Duration timeout = config.callTimeout();
        Nfs3Client nfs = new Nfs3Client(client, credential, timeout, Addresses.describe(server));
        try {
            Replies.await(nfs.ping(timeout.compareTo(CONNECT_LIMIT) < 0 ? timeout : CONNECT_LIMIT));
            return nfs;
        } catch (Throwable e) {
            nfs.close();
            throw e;
        }
    }

    /** NULL: does nothing but being answered; completes with {@code true}. */
    public Future<Boolean> ping() {
        return ping(timeout);
    }

    private Future<Boolean> ping(Duration limit) {
        ByteBuf call = begin(Nfs3Procedure.NULL);
        return new Call<>("NULL", call, attempt -> client.call(RpcRdmaCall.of(attempt), limit), in -> true).attempt();
    }

    /** GETATTR: attributes of a file or directory. */
    public Future<FileAttributes> getAttributes(FileHandle file) {
        return call(Nfs3Procedure.GETATTR, "a handle", begin(Nfs3Procedure.GETATTR, file), FileAttributes::read);
    }

    /** LOOKUP: finds a name in a directory. */
    public Future<FoundFile> lookup(FileHandle directory, String name) {
        return call(Nfs3Procedure.LOOKUP, name, begin(Nfs3Procedure.LOOKUP, directory, name), FoundFile::read);
    }

    /** READLINK: where a symbolic link leads. */
    public Future<String> readLink(FileHandle link) {
        return call(Nfs3Procedure.READLINK, "a handle", begin(Nfs3Procedure.READLINK, link), in -> {
            FileAttributes.readOptional(in);
            return Xdr.readString(in, MAX_PATH_BYTES);
        });
    }

    /**
     * READ: part of a file, which the server writes to memory of the application.
     *
     * @param offset     first octet
     * @param countBytes how many at most; the server may return fewer, also where the file does not end
     * @param target     a direct buffer with room for so many, which stays the caller's. Not to be touched until the
     *                   call completes; the reply's content is part of it, so it is not to be reused before the reply
     *                   is released
     */
    public Future<ReadReply> read(FileHandle file, long offset, int countBytes, ByteBuf target) {
        String what = "READ of byte " + offset;
        ByteBuf call = begin(Nfs3Procedure.READ, file).writeLong(offset).writeInt(countBytes);
        return call(
                what, call, attempt -> RpcRdmaCall.of(attempt).replyInto(target), in -> ReadReply.read(in, countBytes));
    }

    /**
     * WRITE: part of a file.
     *
     * @param offset    of the first octet
     * @param data      taken over, whatever happens; the server may accept only the first part of it
     * @param stability what the server does before it answers. Data written as {@link Stability#UNSTABLE} are safe
     *                  after {@link #commit}
     */
    public Future<WriteReply> write(FileHandle file, long offset, ByteBuf data, Stability stability) {
        int bytes = data.readableBytes();
        ByteBuf arguments = begin(Nfs3Procedure.WRITE, file)
                .writeLong(offset)
                .writeInt(bytes)
                .writeInt(stability.number())
                .writeInt(bytes);
        CompositeByteBuf call = alloc.compositeDirectBuffer(3);
        call.addComponent(true, arguments).addComponent(true, data);
        if (Xdr.pad(bytes) > 0) {
            call.addComponent(true, alloc.directBuffer(4).writeZero(Xdr.pad(bytes)));
        }
        return call(Nfs3Procedure.WRITE, "byte " + offset, call, in -> WriteReply.read(in, bytes));
    }

    /**
     * COMMIT: everything written to a file goes to stable storage.
     *
     * @return the verifier: data whose {@link WriteReply#verifier} is another one are lost and have to be written again
     */
    public Future<Long> commit(FileHandle file) {
        ByteBuf call = begin(Nfs3Procedure.COMMIT, file).writeLong(0).writeInt(0); // from the first octet to the last
        return call(Nfs3Procedure.COMMIT, "a handle", call, in -> {
            WccData.skip(in);
            return in.readLong();
        });
    }

    /**
     * CREATE: a file that must not exist yet.
     *
     * @param mode permission bits
     */
    public Future<FoundFile> create(FileHandle directory, String name, int mode) {
        ByteBuf call = begin(Nfs3Procedure.CREATE, directory, name).writeInt(CreateMode.GUARDED.number());
        writeMode(call, mode);
        return make(Nfs3Procedure.CREATE, directory, name, call);
    }

    /** SYMLINK: a symbolic link that leads to {@code path}. */
    public Future<FoundFile> symlink(FileHandle directory, String name, String path) {
        ByteBuf call = begin(Nfs3Procedure.SYMLINK, directory, name);
        writeMode(call, 0777);
        Xdr.writeString(call, path);
        return make(Nfs3Procedure.SYMLINK, directory, name, call);
    }

    /** RENAME: also replaces a file that has the new name; completes with {@code true}. */
    public Future<Boolean> rename(FileHandle fromDirectory, String from, FileHandle toDirectory, String to) {
        ByteBuf call = begin(Nfs3Procedure.RENAME, fromDirectory, from);
        toDirectory.write(call);
        Xdr.writeString(call, to);
        return call(Nfs3Procedure.RENAME, from + " to " + to, call, in -> true);
    }

    /** REMOVE: a file's name in a directory; completes with {@code true}. */
    public Future<Boolean> remove(FileHandle directory, String name) {
        return call(Nfs3Procedure.REMOVE, name, begin(Nfs3Procedure.REMOVE, directory, name), in -> true);
    }

    /**
     * READDIRPLUS: part of a directory, with attributes and handles.
     *
     * @param cookie         0, or that of the last entry known
     * @param cookieVerifier 0, or that of the part before
     * @param maxBytes       longest result
     */
    public Future<DirectoryPage> readDirectoryPlus(
            FileHandle directory, long cookie, long cookieVerifier, int maxBytes) {
        ByteBuf call = begin(Nfs3Procedure.READDIRPLUS, directory)
                .writeLong(cookie)
                .writeLong(cookieVerifier)
                .writeInt(maxBytes)
                .writeInt(maxBytes);
        return call(Nfs3Procedure.READDIRPLUS, "a handle", call, DirectoryPage::read);
    }

    /**
     * What FSINFO tells of a file system (RFC 1813, section 3.3.19).
     *
     * @param maxReadBytes  longest READ
     * @param maxWriteBytes longest WRITE
     */
    public record FileSystemInfo(long maxReadBytes, long maxWriteBytes) {

        private static FileSystemInfo read(ByteBuf in) {
            FileAttributes.readOptional(in);
            long maxReadBytes = in.readUnsignedInt();
            in.skipBytes(4 + 4); // preferred, multiple
            return new FileSystemInfo(maxReadBytes, in.readUnsignedInt());
        }
    }

    /** FSINFO: limits of a file system. */
    public Future<FileSystemInfo> fileSystemInfo(FileHandle root) {
        return call(Nfs3Procedure.FSINFO, "a handle", begin(Nfs3Procedure.FSINFO, root), FileSystemInfo::read);
    }

    @Override
    public void close() {
        client.close();
    }

    private ByteBuf begin(Nfs3Procedure procedure) {
        return RpcMessages.call(
                alloc, client.nextXid(), RpcPrograms.NFS, RpcPrograms.NFS_VERSION, procedure.number(), credential);
    }

    private ByteBuf begin(Nfs3Procedure procedure, FileHandle file) {
        ByteBuf call = begin(procedure);
        file.write(call);
        return call;
    }

    private ByteBuf begin(Nfs3Procedure procedure, FileHandle directory, String name) {
        ByteBuf call = begin(procedure, directory);
        Xdr.writeString(call, name);
        return call;
    }

    /** {@code sattr3} that sets permissions and leaves user, group, size and times to the server. */
    private static void writeMode(ByteBuf call, int mode) {
        call.writeInt(1).writeInt(mode).writeZero(5 * 4);
    }

    /** Calls a procedure that makes a file; a server that does not tell its handle is asked again. */
    private Future<FoundFile> make(Nfs3Procedure procedure, FileHandle directory, String name, ByteBuf call) {
        Promise<FoundFile> result = ImmediateEventExecutor.INSTANCE.newPromise();
        Future<Optional<FoundFile>> made = call(
                procedure, name, call, in -> Xdr.readBoolean(in) ? Optional.of(FoundFile.read(in)) : Optional.empty());
        made.addListener(done -> {
            if (!made.isSuccess()) {
                result.tryFailure(made.cause());
            } else if (made.getNow().isPresent()) {
                result.trySuccess(made.getNow().get());
            } else {
                PromiseNotifier.cascade(lookup(directory, name), result);
            }
        });
        return result;
    }

    private <T> Future<T> call(Nfs3Procedure procedure, String subject, ByteBuf call, Decoder<T> decoder) {
        return call(procedure + " of " + subject, call, RpcRdmaCall::of, decoder);
    }

    private <T> Future<T> call(String what, ByteBuf call, Function<ByteBuf, RpcRdmaCall> toCall, Decoder<T> decoder) {
        Function<ByteBuf, Future<ByteBuf>> send = attempt -> client.call(toCall.apply(attempt), timeout);
        return new Call<>(what, call, send, Replies.checked(what, "NFS3ERR_", decoder)).attempt();
    }

    /**
     * A call that is made again, with an XID of its own each time, while the server says that it is busy. The server
     * has not executed it then (RFC 1813, section 2.6), so that this does no harm to calls that are not idempotent
     * either. It comes again after 100 ms at first, then after twice as long each time, 5 s at most, and as often as
     * fits into the time that a call may take.
     *
     * <p>Threading: started by any thread, goes on where replies arrive. Ownership: owns the call until it ends.
     */
    private final class Call<T> {

        private final String what;
        private final ByteBuf call;
        private final Function<ByteBuf, Future<ByteBuf>> send;
        private final Decoder<T> decoder;
        private final Promise<T> result = ImmediateEventExecutor.INSTANCE.newPromise();
        private long delayMillis = FIRST_DELAY_MILLIS;
        private long delayedMillis;

        Call(String what, ByteBuf call, Function<ByteBuf, Future<ByteBuf>> send, Decoder<T> decoder) {
            this.what = what;
            this.call = call;
            this.send = send;
            this.decoder = decoder;
        }

        Future<T> attempt() {
            Future<ByteBuf> reply = send.apply(call.retainedDuplicate());
            reply.addListener(done -> {
                try {
                    if (!reply.isSuccess()) {
                        fail(unanswered(what, reply.cause()));
                        return;
                    }
                    T value = Replies.decode(what, server, reply.getNow(), decoder);
                    call.release();
                    if (!result.trySuccess(value)) {
                        ReferenceCountUtil.release(value); // it was cancelled
                    }
                } catch (Nfs3Exception e) {
                    if (!e.is(Nfs3Status.JUKEBOX) || delayMillis > timeout.toMillis() - delayedMillis) {
                        fail(e);
                        return;
                    }
                    GlobalEventExecutor.INSTANCE.schedule(this::again, delayMillis, TimeUnit.MILLISECONDS);
                    delayedMillis += delayMillis;
                    delayMillis = Math.min(LONGEST_DELAY_MILLIS, 2 * delayMillis);
                } catch (IOException e) {
                    fail(e);
                }
            });
            return result;
        }

        private void fail(Throwable cause) {
            call.release();
            result.tryFailure(cause);
        }

        private void again() {
            call.setInt(call.readerIndex() + XID_OFFSET, client.nextXid());
            attempt();
        }
    }

    /** Names the server and, if it did not answer, what is known of the connection. */
    private Throwable unanswered(String what, Throwable failure) {
        if (failure instanceof CallTimeoutException || failure instanceof ConnectionLostException) {
            Throwable reason = failure.getCause() == null ? failure : failure.getCause();
            return new IOException(what + ": no answer from " + server + ": " + PeerText.reason(reason), failure);
        }
        return failure instanceof RpcRdmaException
                ? new IOException(what + ": call to " + server + " failed: " + PeerText.reason(failure), failure)
                : failure;
    }
}
