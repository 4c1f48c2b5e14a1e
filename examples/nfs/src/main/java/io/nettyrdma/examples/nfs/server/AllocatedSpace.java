// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import com.sun.jna.Native;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The space that files take on disc, which is less than their size if they have holes or are compressed. Java does not
 * tell it; {@code statx(2)} does, whose record is laid out the same on all architectures. Where it cannot be called, an
 * old C library or no place to unpack JNA's, what files take is told as their size.
 *
 * <p>Threading: any thread.
 */
final class AllocatedSpace {

    private static final int BLOCK_BYTES = 512;

    /** From {@code <fcntl.h>}: a path that is relative is so to the working directory. */
    private static final int AT_FDCWD = -100;

    /** From {@code <fcntl.h>}: of a symbolic link its own. */
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;

    private static final int STATX_INO = 0x100;
    private static final int STATX_BLOCKS = 0x400;

    // struct statx of <linux/stat.h>
    private static final int MASK_AT = 0;
    private static final int INODE_AT = 32;
    private static final int BLOCKS_AT = 48;
    private static final int STATX_BYTES = 256;

    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private static final ThreadLocal<ByteBuffer> RECORD =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(STATX_BYTES).order(ByteOrder.nativeOrder()));

    private static final @Nullable String WHY_NOT = register();

    private AllocatedSpace() {}

    private static @Nullable String register() {
        try {
            Native.register(AllocatedSpace.class, "c");
            return null;
        } catch (LinkageError e) {
            return "reporting the size of a file as the space it takes, because statx cannot be called: "
                    + e.getMessage();
        }
    }

    private static native int statx(int directory, byte[] path, int flags, int mask, Buffer record);

    /** Null if it can be told, else the reason, as a sentence. */
    static @Nullable String whyNot() {
        return WHY_NOT;
    }

    /**
     * Octets on disc of the file with a path; or its size in whole blocks if that cannot be told, or if there is
     * another file at the path by now.
     *
     * @param inode of the file that is meant
     * @param size  of that file, octets
     */
    static long bytes(Path path, long inode, long size) {
        if (WHY_NOT == null) {
            byte[] name = path.toString().getBytes(NAMES);
            ByteBuffer found = RECORD.get();
            if (statx(
                                    AT_FDCWD,
                                    Arrays.copyOf(name, name.length + 1),
                                    AT_SYMLINK_NOFOLLOW,
                                    STATX_BLOCKS | STATX_INO,
                                    found)
                            == 0
                    && (found.getInt(MASK_AT) & STATX_BLOCKS) != 0
                    && found.getLong(INODE_AT) == inode) {
                return found.getLong(BLOCKS_AT) * BLOCK_BYTES;
            }
        }
        return (size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }
}
