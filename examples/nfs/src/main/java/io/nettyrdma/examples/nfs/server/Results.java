// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.WccData;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import org.jspecify.annotations.Nullable;

/** Writes what results are made of, of what the host tells. */
final class Results {

    /** One export is one file system to its clients. */
    private static final long FSID = 1;

    private Results() {}

    /** What clients see of a file. */
    private static FileAttributes fileAttributes(HostAttributes file) {
        return new FileAttributes(
                file.type(),
                file.mode(),
                file.nlink(),
                file.uid(),
                file.gid(),
                file.size(),
                file.usedBytes(),
                major(file.specialDevice()) << 32 | minor(file.specialDevice()),
                FSID,
                fileId(file),
                file.accessed().toInstant(),
                file.modified().toInstant(),
                file.changed().toInstant());
    }

    /** Different for different files of the export, which may span several file systems of the host. */
    static long fileId(HostAttributes file) {
        return file.inode() ^ Long.rotateLeft(file.device(), 40);
    }

    private static long major(long device) {
        return device >>> 8 & 0xfff | device >>> 32 & ~0xfffL;
    }

    private static long minor(long device) {
        return (device & 0xff | device >>> 12 & ~0xffL) & 0xffff_ffffL;
    }

    static void attributes(ByteBuf out, HostAttributes file) {
        fileAttributes(file).write(out);
    }

    /** {@code post_op_attr}. */
    static void postOp(ByteBuf out, @Nullable HostAttributes file) {
        FileAttributes.writeOptional(out, file == null ? null : fileAttributes(file));
    }

    /** {@code wcc_data}. */
    static void wcc(ByteBuf out, @Nullable HostAttributes before, @Nullable HostAttributes after) {
        WccData.write(
                out, before == null ? null : fileAttributes(before), after == null ? null : fileAttributes(after));
    }

    /** {@code post_op_fh3}. */
    static void postOpHandle(ByteBuf out, Node node) {
        Xdr.writeBoolean(out, true);
        Xdr.writeOpaque(out, node.handle());
    }
}
