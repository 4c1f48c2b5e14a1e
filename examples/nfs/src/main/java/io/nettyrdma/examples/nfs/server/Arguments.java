// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.examples.nfs.protocol.CreateMode;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.NfsTime;
import io.nettyrdma.examples.nfs.protocol.Stability;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.nfs.nfs3.request.SetAttr3;
import org.jspecify.annotations.Nullable;

/** Reads the arguments of a procedure. */
final class Arguments {

    /** The arguments are not what the procedure takes; answered with GARBAGE_ARGS (RFC 5531, section 9). */
    static final class GarbageException extends Exception {

        private static final long serialVersionUID = 1L;

        GarbageException(String what) {
            super(what, null, false, false);
        }
    }

    /** When a time is to be set: to the server's clock if null. */
    record TimeToSet(@Nullable FileTime time) {}

    /** {@code sattr3} (RFC 1813, section 2.6): null is for "leave it". */
    record ToSet(
            @Nullable Integer mode,
            @Nullable Integer uid,
            @Nullable Integer gid,
            @Nullable Long size,
            @Nullable TimeToSet accessed,
            @Nullable TimeToSet modified) {}

    /** Longest name in a directory. */
    static final int MAX_NAME_BYTES = 255;

    private static final int MAX_PATH_BYTES = 4095;

    private final ByteBuf in;

    /** The buffer stays the caller's. */
    Arguments(ByteBuf in) {
        this.in = in;
    }

    private <T> T read(Function<ByteBuf, T> reader) throws GarbageException {
        try {
            return reader.apply(in);
        } catch (CorruptedFrameException | IndexOutOfBoundsException e) {
            throw new GarbageException(String.valueOf(e.getMessage()));
        }
    }

    int readInt() throws GarbageException {
        return read(ByteBuf::readInt);
    }

    long readUnsignedInt() throws GarbageException {
        return read(ByteBuf::readUnsignedInt);
    }

    long readLong() throws GarbageException {
        return read(ByteBuf::readLong);
    }

    boolean readBoolean() throws GarbageException {
        return read(Xdr::readBoolean);
    }

    /** Variable-length octets as they are in the buffer. */
    ByteBuf readOpaque(int maxBytes) throws GarbageException {
        return read(from -> Xdr.readOpaque(from, maxBytes));
    }

    CreateMode readCreateMode() throws GarbageException {
        int number = readInt();
        return known(CreateMode.of(number), "createmode3", number);
    }

    Stability readStability() throws GarbageException {
        int number = readInt();
        return known(Stability.of(number), "stable_how", number);
    }

    private static <T> T known(@Nullable T value, String type, int number) throws GarbageException {
        if (value == null) {
            throw new GarbageException(type + ' ' + number);
        }
        return value;
    }

    byte[] readOctets(int maxBytes) throws GarbageException {
        ByteBuf octets = readOpaque(maxBytes);
        byte[] copy = new byte[octets.readableBytes()];
        octets.readBytes(copy);
        return copy;
    }

    byte[] readHandle() throws GarbageException {
        return readOctets(FileHandle.MAX_BYTES);
    }

    /** One component of a path; "." and ".." are for the procedure to judge. */
    Path readName() throws GarbageException, NfsException {
        byte[] octets = readOctets(in.readableBytes());
        if (octets.length > MAX_NAME_BYTES) {
            throw new NfsException(Nfs3Status.NAMETOOLONG);
        }
        for (byte octet : octets) {
            if (octet == '/') {
                throw new NfsException(Nfs3Status.INVAL);
            }
        }
        return FileNames.path(octets);
    }

    /** What a symbolic link says. */
    Path readPath() throws GarbageException, NfsException {
        byte[] octets = readOctets(in.readableBytes());
        if (octets.length > MAX_PATH_BYTES) {
            throw new NfsException(Nfs3Status.NAMETOOLONG);
        }
        return FileNames.path(octets);
    }

    FileTime readTime() throws GarbageException {
        return FileTime.from(read(NfsTime::read));
    }

    static FileTime time(long seconds, long nanos) {
        return FileTime.from(Instant.ofEpochSecond(seconds, nanos));
    }

    ToSet readToSet() throws GarbageException {
        Integer mode = readBoolean() ? (Integer) readInt() : null;
        Integer uid = readBoolean() ? (Integer) readInt() : null;
        Integer gid = readBoolean() ? (Integer) readInt() : null;
        Long size = readBoolean() ? (Long) readLong() : null;
        return new ToSet(mode, uid, gid, size, readTimeToSet(), readTimeToSet());
    }

    private @Nullable TimeToSet readTimeToSet() throws GarbageException {
        int how = readInt();
        return switch (how) {
            case SetAttr3.TIME_DONT_CHANGE -> null;
            case SetAttr3.TIME_SET_TO_SERVER_TIME -> new TimeToSet(null);
            case SetAttr3.TIME_SET_TO_CLIENT_TIME -> {
                long seconds = readUnsignedInt();
                long nanos = readUnsignedInt();
                if (nanos >= TimeUnit.SECONDS.toNanos(1)) {
                    throw new GarbageException("time with " + nanos + " ns");
                }
                yield new TimeToSet(time(seconds, nanos));
            }
            default -> throw new GarbageException("time_how " + how);
        };
    }
}
