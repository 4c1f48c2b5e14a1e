// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What GETATTR tells: {@code fattr3} (RFC 1813, section 2.6).
 *
 * @param type         what it is
 * @param mode         permission bits
 * @param links        names of the file
 * @param uid          owner
 * @param gid          group
 * @param sizeBytes    length of the file
 * @param usedBytes    what it takes on disk
 * @param device       of a device file its major number, in the upper half, and its minor number
 * @param fileSystemId number of the file system
 * @param fileId       number of the file in its file system
 * @param accessed     when it was last read
 * @param modified     when its data last changed
 * @param changed      when its attributes last changed
 */
public record FileAttributes(
        FileType type,
        int mode,
        int links,
        int uid,
        int gid,
        long sizeBytes,
        long usedBytes,
        long device,
        long fileSystemId,
        long fileId,
        Instant accessed,
        Instant modified,
        Instant changed) {

    /** Octets on the wire. */
    public static final int BYTES = 84;

    /** Reads attributes. */
    public static FileAttributes read(ByteBuf in) {
        return new FileAttributes(
                readType(in),
                in.readInt(),
                in.readInt(),
                in.readInt(),
                in.readInt(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                NfsTime.read(in),
                NfsTime.read(in),
                NfsTime.read(in));
    }

    private static FileType readType(ByteBuf in) {
        int number = in.readInt();
        FileType type = FileType.of(number);
        if (type == null) {
            throw new CorruptedFrameException("ftype3 " + number);
        }
        return type;
    }

    /** Writes {@link #BYTES} octets. */
    public void write(ByteBuf out) {
        out.writeInt(type.number())
                .writeInt(mode)
                .writeInt(links)
                .writeInt(uid)
                .writeInt(gid)
                .writeLong(sizeBytes)
                .writeLong(usedBytes)
                .writeLong(device)
                .writeLong(fileSystemId)
                .writeLong(fileId);
        NfsTime.write(out, accessed);
        NfsTime.write(out, modified);
        NfsTime.write(out, changed);
    }

    /** Reads {@code post_op_attr}: a server may leave attributes out. */
    public static @Nullable FileAttributes readOptional(ByteBuf in) {
        return Xdr.readBoolean(in) ? read(in) : null;
    }

    /** Writes {@code post_op_attr}. */
    public static void writeOptional(ByteBuf out, @Nullable FileAttributes attributes) {
        Xdr.writeBoolean(out, attributes != null);
        if (attributes != null) {
            attributes.write(out);
        }
    }
}
