/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples.nfs;

import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.nfs.nfs3.Nfs3Constant;
import org.apache.hadoop.nfs.nfs3.request.SetAttr3;
import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments of a procedure (XDR, RFC 4506). No length of the caller's is believed before it is checked against
 * what is there.
 */
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

    private static final int MAX_NAME_BYTES = 255;
    private static final int MAX_PATH_BYTES = 4095;

    private final ByteBuf in;

    /** The buffer stays the caller's. */
    Arguments(ByteBuf in) {
        this.in = in;
    }

    int readInt() throws GarbageException {
        require(Integer.BYTES);
        return in.readInt();
    }

    long readUnsignedInt() throws GarbageException {
        require(Integer.BYTES);
        return in.readUnsignedInt();
    }

    long readLong() throws GarbageException {
        require(Long.BYTES);
        return in.readLong();
    }

    boolean readBoolean() throws GarbageException {
        int value = readInt();
        if (value != 0 && value != 1) {
            throw new GarbageException("boolean " + value);
        }
        return value == 1;
    }

    /** Variable-length octets as they are in the buffer. */
    ByteBuf readOpaque(int maxBytes) throws GarbageException {
        long length = readUnsignedInt();
        if (length > maxBytes || length > in.readableBytes()) {
            throw new GarbageException("opaque of " + length + " octets");
        }
        ByteBuf octets = in.readSlice((int) length);
        int pad = -(int) length & 3;
        require(pad);
        in.skipBytes(pad);
        return octets;
    }

    byte[] readOctets(int maxBytes) throws GarbageException {
        ByteBuf octets = readOpaque(maxBytes);
        byte[] copy = new byte[octets.readableBytes()];
        octets.readBytes(copy);
        return copy;
    }

    byte[] readHandle() throws GarbageException {
        return readOctets(Nfs3Constant.NFS3_FHSIZE);
    }

    /** The handle that comes next, without taking it. */
    byte[] copyOfHandle() throws GarbageException {
        in.markReaderIndex();
        byte[] handle = readHandle();
        in.resetReaderIndex();
        return handle;
    }

    /** One component of a path; "." and ".." are for the procedure to judge. */
    Path readName() throws GarbageException, NfsException {
        byte[] octets = readOctets(in.readableBytes());
        if (octets.length > MAX_NAME_BYTES) {
            throw new NfsException(NfsStatus.NAMETOOLONG);
        }
        for (byte octet : octets) {
            if (octet == '/') {
                throw new NfsException(NfsStatus.INVAL);
            }
        }
        return FileNames.path(octets);
    }

    /** What a symbolic link says. */
    Path readPath() throws GarbageException, NfsException {
        byte[] octets = readOctets(in.readableBytes());
        if (octets.length > MAX_PATH_BYTES) {
            throw new NfsException(NfsStatus.NAMETOOLONG);
        }
        return FileNames.path(octets);
    }

    FileTime readTime() throws GarbageException {
        return time(readUnsignedInt(), readUnsignedInt());
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

    private void require(int bytes) throws GarbageException {
        if (in.readableBytes() < bytes) {
            throw new GarbageException("arguments end early");
        }
    }
}
