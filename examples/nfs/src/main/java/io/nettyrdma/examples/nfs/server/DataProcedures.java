// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Stability;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Lock;

/** What is in files. */
final class DataProcedures {

    private DataProcedures() {}

    /** A file that is open for the time of one call, found under the lock of the names, used without it. */
    private record OpenFile(Located located, HeldFile held) implements AutoCloseable {

        static OpenFile read(NfsCall call, StandardOpenOption access)
                throws IOException, NfsException, GarbageException {
            Lock names = call.store.names().readLock();
            names.lock();
            try {
                Located located = call.readObject();
                call.identity.requireData(
                        located.attributes(), access == StandardOpenOption.READ ? Identity.READ : Identity.WRITE);
                return new OpenFile(located, call.store.open(located, access));
            } finally {
                names.unlock();
            }
        }

        FileChannel channel() {
            return held.channel();
        }

        @Override
        public void close() throws IOException {
            held.close();
        }
    }

    private static HostAttributes attributes(NfsCall call, Node node) throws IOException, NfsException {
        Lock names = call.store.names().readLock();
        names.lock();
        try {
            return call.store.locate(node).attributes();
        } finally {
            names.unlock();
        }
    }

    /** Reads from the file into the reply where it stands, behind the place of what is known only afterwards. */
    static void read(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenFile file = OpenFile.read(call, StandardOpenOption.READ)) {
            long offset = call.in.readLong();
            long count = call.in.readUnsignedInt();
            call.note(offset + "+" + count);
            if (offset < 0) {
                throw new NfsException(Nfs3Status.INVAL);
            }
            long left = Math.max(0, file.channel().size() - offset);
            int wanted = (int) Math.min(Math.min(count, left), AttributeProcedures.MAX_TRANSFER_BYTES);
            ByteBuf out = call.out;
            int start = out.writerIndex();
            int dataStart = start + Integer.BYTES + FileAttributes.BYTES + 3 * Integer.BYTES;
            out.capacity(dataStart + wanted + Integer.BYTES);
            int read = read(file.channel(), offset, out.nioBuffer(dataStart, wanted));
            HostAttributes now = attributes(call, file.located.node());
            Results.postOp(out, now);
            out.writeInt(read).writeInt(offset + read >= now.size() ? 1 : 0).writeInt(read);
            out.writerIndex(dataStart + read).writeZero(Xdr.pad(read));
        }
    }

    private static int read(FileChannel file, long offset, ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (file.read(target, offset + target.position()) < 0) {
                break;
            }
        }
        return target.position();
    }

    static void write(NfsCall call) throws IOException, NfsException, GarbageException {
        Lock lock = call.store.file(call.store.table().resolve(call.in.copyOfHandle()));
        lock.lock();
        try (OpenFile file = OpenFile.read(call, StandardOpenOption.WRITE)) {
            long offset = call.in.readLong();
            long count = call.in.readUnsignedInt();
            Stability stability = call.in.readStability();
            call.note(offset + "+" + count);
            ByteBuf data = call.in.readOpaque(Integer.MAX_VALUE);
            if (count != data.readableBytes()) {
                throw new NfsException(Nfs3Status.INVAL);
            }
            if (offset < 0 || offset + count < 0) {
                throw new NfsException(Nfs3Status.FBIG);
            }
            int length = (int) Math.min(count, AttributeProcedures.MAX_TRANSFER_BYTES);
            dropSetIds(call, file.located);
            write(data, length, file.channel(), offset);
            if (stability != Stability.UNSTABLE) {
                file.channel().force(stability == Stability.FILE_SYNC);
            }
            call.writeWcc(0);
            call.out.writeInt(length).writeInt(stability.number()).writeLong(call.store.writeVerifier());
        } finally {
            lock.unlock();
        }
    }

    private static void dropSetIds(NfsCall call, Located file) throws IOException, NfsException {
        Lock names = call.store.names().readLock();
        names.lock();
        try {
            AttributeChange.dropSetIds(call, file);
        } finally {
            names.unlock();
        }
    }

    private static void write(ByteBuf data, int length, FileChannel file, long offset) throws IOException {
        int written = 0;
        while (written < length) {
            written += data.readBytes(file, offset + written, length - written);
        }
    }

    static void commit(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenFile file = OpenFile.read(call, StandardOpenOption.WRITE)) {
            file.channel().force(true); // the whole file; Java knows no ranges
            call.writeWcc(0);
            call.out.writeLong(call.store.writeVerifier());
        }
    }
}
