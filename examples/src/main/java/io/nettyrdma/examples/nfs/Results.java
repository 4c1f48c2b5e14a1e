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
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Writes what results are made of (RFC 1813, section 2.6). */
final class Results {

    /** Octets of {@code fattr3}. */
    static final int ATTRIBUTES_BYTES = 84;

    /** One export is one file system to its clients. */
    private static final long FSID = 1;

    private static final int BLOCK_BYTES = 512;

    private Results() {}

    static void attributes(ByteBuf out, FileAttributes file) {
        out.writeInt(file.type())
                .writeInt(file.mode())
                .writeInt(file.nlink())
                .writeInt(file.uid())
                .writeInt(file.gid())
                .writeLong(file.size())
                .writeLong((file.size() + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES)
                .writeInt(major(file.specialDevice()))
                .writeInt(minor(file.specialDevice()))
                .writeLong(FSID)
                .writeLong(fileId(file));
        time(out, file.accessed());
        time(out, file.modified());
        time(out, file.changed());
    }

    /** Different for different files of the export, which may span several file systems of the host. */
    static long fileId(FileAttributes file) {
        return file.inode() ^ Long.rotateLeft(file.device(), 40);
    }

    private static int major(long device) {
        return (int) (device >>> 8 & 0xfff | device >>> 32 & ~0xfffL);
    }

    private static int minor(long device) {
        return (int) (device & 0xff | device >>> 12 & ~0xffL);
    }

    static void time(ByteBuf out, FileTime time) {
        Instant instant = time.toInstant();
        out.writeInt((int) instant.getEpochSecond()).writeInt(instant.getNano());
    }

    /** {@code post_op_attr}. */
    static void postOp(ByteBuf out, @Nullable FileAttributes file) {
        out.writeInt(file != null ? 1 : 0);
        if (file != null) {
            attributes(out, file);
        }
    }

    /** {@code wcc_data}: what was before is of use only together with what is after. */
    static void wcc(ByteBuf out, @Nullable FileAttributes before, @Nullable FileAttributes after) {
        if (before == null || after == null) {
            out.writeInt(0);
        } else {
            out.writeInt(1).writeLong(before.size());
            time(out, before.modified());
            time(out, before.changed());
        }
        postOp(out, after);
    }

    static void opaque(ByteBuf out, byte[] octets) {
        out.writeInt(octets.length).writeBytes(octets).writeZero(-octets.length & 3);
    }

    /** {@code post_op_fh3}. */
    static void postOpHandle(ByteBuf out, Node node) {
        out.writeInt(1);
        opaque(out, node.handle());
    }
}
