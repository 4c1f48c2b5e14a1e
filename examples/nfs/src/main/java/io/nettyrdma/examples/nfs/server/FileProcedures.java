// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.NfsTime;
import io.nettyrdma.examples.nfs.protocol.Stability;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Export.PathAction;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Data and attributes of files, and of the file system. */
final class FileProcedures {

    private static final int MAX_TRANSFER_BYTES = 1 << 20;
    private static final int PREFERRED_READDIR_BYTES = 64 << 10;
    private static final int MAX_LINKS = 32_000;
    private static final long FILES_UNKNOWN = Integer.MAX_VALUE;

    /** Attributes that a client sets, {@code sattr3} (RFC 1813, section 2.6): null is for "leave it". */
    record ToSet(
            @Nullable Integer mode,
            @Nullable Integer uid,
            @Nullable Integer gid,
            @Nullable Long size,
            @Nullable FileTime accessed,
            @Nullable FileTime modified) {

        static ToSet read(ByteBuf in) {
            return new ToSet(
                    readInt(in),
                    readInt(in),
                    readInt(in),
                    Xdr.readBoolean(in) ? (Long) in.readLong() : null,
                    readTime(in),
                    readTime(in));
        }

        private static @Nullable Integer readInt(ByteBuf in) {
            return Xdr.readBoolean(in) ? (Integer) in.readInt() : null;
        }

        private static @Nullable FileTime readTime(ByteBuf in) {
            int how = in.readInt();
            return switch (how) {
                case 0 -> null;
                case 1 -> FileTime.from(Instant.now()); // of the server
                case 2 -> FileTime.from(NfsTime.read(in));
                default -> throw new CorruptedFrameException("time_how " + how);
            };
        }
    }

    private FileProcedures() {}

    static void getattr(NfsCall call) throws IOException {
        call.subject(call.readNode()).attributes().write(call.out);
    }

    static void setattr(NfsCall call) throws IOException {
        Node node = call.readNode();
        call.lock(node);
        HostFile now = call.subject(node);
        ToSet toSet = ToSet.read(call.in);
        @Nullable Instant guard = Xdr.readBoolean(call.in) ? NfsTime.read(call.in) : null;
        if (guard != null && !guard.equals(now.attributes().changed())) {
            throw new NfsException(Nfs3Status.NOT_SYNC);
        }
        apply(call, node, now, toSet);
        call.writeWcc(0);
    }

    /**
     * Sets attributes; the mode last, since it may forbid the rest. The server acts as one user, so no owner changes.
     */
    static void apply(NfsCall call, Node node, HostFile now, ToSet toSet) throws IOException {
        FileAttributes attributes = now.attributes();
        if (toSet.uid() != null && toSet.uid() != attributes.uid()
                || toSet.gid() != null && toSet.gid() != attributes.gid()) {
            throw new NfsException(Nfs3Status.PERM);
        }
        boolean setsTimes = toSet.accessed() != null || toSet.modified() != null;
        if (setsTimes && !now.is(FileType.REGULAR) && !now.is(FileType.DIRECTORY) && !now.is(FileType.SYMBOLIC_LINK)) {
            // Java opens an object to set its times: a pipe would wait for a writer, a device might do something.
            throw new NfsException(Nfs3Status.NOTSUPP);
        }
        if (toSet.size() != null) {
            try (Held file = call.export.file(node, true)) {
                resize(call, file.channel, toSet.size());
                call.export.force(file.channel, true);
            }
        }
        if (setsTimes) {
            call.export.at(node, path -> {
                Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .setTimes(toSet.modified(), toSet.accessed(), null);
                return path;
            });
        }
        if (toSet.mode() != null && !now.is(FileType.SYMBOLIC_LINK)) {
            call.export.setMode(node, toSet.mode() & 07777);
        }
    }

    private static void resize(NfsCall call, FileChannel file, long size) throws IOException {
        if (size < 0) {
            throw new NfsException(Nfs3Status.FBIG);
        }
        try {
            if (size > file.size()) {
                file.write(ByteBuffer.allocate(1), size - 1);
            }
            file.truncate(size);
        } catch (IOException e) {
            throw HostErrors.ofGrowth(e, call.export.root, size, 1);
        }
    }

    /** Asks the host, which knows about lists of access as well; a symbolic link has no rights of its own. */
    static void access(NfsCall call) throws IOException {
        Node node = call.readNode();
        HostFile file = call.subject(node);
        int wanted = call.in.readInt();
        boolean directory = file.is(FileType.DIRECTORY);
        // READ is 1, LOOKUP 2, MODIFY and EXTEND 12, DELETE 16, EXECUTE 32 (RFC 1813, section 3.3.4).
        PathAction<Integer> ask = path -> (Files.isReadable(path) ? 1 : 0)
                | (Files.isWritable(path) ? directory ? 12 | 16 : 12 : 0)
                | (Files.isExecutable(path) ? directory ? 2 : 32 : 0);
        int granted = file.is(FileType.SYMBOLIC_LINK) ? 1 : call.export.at(node, ask);
        call.writePostOp(file);
        call.out.writeInt(granted & wanted);
    }

    /** Reads from the file into the reply where it stands, behind the place of what is known only afterwards. */
    static void read(NfsCall call) throws IOException {
        Node node = call.readNode();
        call.subject(node);
        long offset = call.in.readLong();
        long count = call.in.readUnsignedInt();
        if (offset < 0) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        try (Held file = call.export.file(node, false)) {
            long left = Math.max(0, file.channel.size() - offset);
            int wanted = (int) Math.min(Math.min(count, left), MAX_TRANSFER_BYTES);
            ByteBuf out = call.out;
            int dataStart = out.writerIndex() + Integer.BYTES + FileAttributes.BYTES + 3 * Integer.BYTES;
            out.capacity(dataStart + wanted + Integer.BYTES);
            ByteBuffer target = out.nioBuffer(dataStart, wanted);
            while (target.hasRemaining() && file.channel.read(target, offset + target.position()) >= 0) {
                // until all is there, or the end of the file
            }
            int read = target.position();
            HostFile now = call.export.attributes(node);
            call.writePostOp(now);
            boolean isEnd = offset + read >= now.attributes().sizeBytes();
            out.writeInt(read).writeInt(isEnd ? 1 : 0).writeInt(read);
            out.writerIndex(dataStart + read).writeZero(Xdr.pad(read));
        }
    }

    static void write(NfsCall call) throws IOException {
        Node node = call.readNode();
        call.lock(node);
        call.subject(node);
        long offset = call.in.readLong();
        long count = call.in.readUnsignedInt();
        @Nullable Stability stability = Stability.of(call.in.readInt());
        ByteBuf data = XdrOpaque.read(call.in, Integer.MAX_VALUE);
        if (stability == null || count != data.readableBytes()) {
            throw new CorruptedFrameException("WRITE of " + count + " bytes, with " + data.readableBytes());
        }
        if (offset < 0 || offset + count < 0) {
            throw new NfsException(Nfs3Status.FBIG);
        }
        int length = (int) Math.min(count, MAX_TRANSFER_BYTES);
        long verifier = call.export.writeVerifier(); // of before: a failure from now on may be about this data
        try (Held file = call.export.file(node, true)) {
            try {
                for (int written = 0; written < length; ) {
                    written += data.readBytes(file.channel, offset + written, length - written);
                }
            } catch (IOException e) {
                throw HostErrors.ofGrowth(e, call.export.root, offset + length, length);
            }
            if (stability != Stability.UNSTABLE) {
                call.export.force(file.channel, stability == Stability.FILE_SYNC);
            }
        }
        call.writeWcc(0);
        call.out.writeInt(length).writeInt(stability.number()).writeLong(verifier);
    }

    static void commit(NfsCall call) throws IOException {
        Node node = call.readNode();
        call.subject(node);
        try (Held file = call.export.file(node, true)) {
            call.export.force(file.channel, true); // the whole file; Java knows no ranges
        }
        call.writeWcc(0);
        call.out.writeLong(call.export.writeVerifier());
    }

    static void fsstat(NfsCall call) throws IOException {
        call.writePostOp(call.subject(call.readNode()));
        FileStore store = Files.getFileStore(call.export.root);
        call.out.writeLong(store.getTotalSpace()).writeLong(store.getUnallocatedSpace());
        call.out.writeLong(store.getUsableSpace()).writeLong(FILES_UNKNOWN);
        call.out.writeLong(FILES_UNKNOWN).writeLong(FILES_UNKNOWN).writeInt(0); // may change at once
    }

    static void fsinfo(NfsCall call) throws IOException {
        call.writePostOp(call.subject(call.readNode()));
        for (int i = 0; i < 2; i++) { // of READ and of WRITE: longest, best, and good multiples
            call.out.writeInt(MAX_TRANSFER_BYTES).writeInt(MAX_TRANSFER_BYTES).writeInt(512);
        }
        call.out.writeInt(PREFERRED_READDIR_BYTES).writeLong(Long.MAX_VALUE);
        call.out.writeLong(1); // times are kept to the nanosecond
        call.out.writeInt(0x1b); // hard and symbolic links, the same everywhere, sets times
    }

    static void pathconf(NfsCall call) throws IOException {
        call.writePostOp(call.subject(call.readNode()));
        call.out.writeInt(MAX_LINKS).writeInt(FileNames.MAX_NAME_BYTES);
        call.out.writeLong(1L << 32 | 1); // longer names are errors, not cut; files are not given away
        call.out.writeLong(1); // upper case is not lower case, and is kept
    }
}
