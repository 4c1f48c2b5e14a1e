// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What {@code lstat} and {@code statx} tell of a file; times with the file system's resolution. */
record HostAttributes(
        int typeAndMode,
        int nlink,
        int uid,
        int gid,
        long size,
        long usedBytes,
        long device,
        long inode,
        long specialDevice,
        FileTime accessed,
        FileTime modified,
        FileTime changed,
        Object fileKey) {

    private static final String WANTED =
            "unix:mode,nlink,uid,gid,size,dev,ino,rdev,lastAccessTime,lastModifiedTime,ctime,fileKey";
    private static final int TYPE = 0170000;
    private static final int REGULAR = 0100000;
    private static final int DIRECTORY = 0040000;
    private static final int SYMBOLIC_LINK = 0120000;
    private static final int MODE = 07777;
    static final int STICKY = 01000;
    static final int SET_GID = 02000;
    static final int SET_UID = 04000;
    static final int GROUP_EXECUTE = 010;
    static final int WRITE_BY_OTHERS = 022;

    /** Reads them; of a symbolic link its own. */
    static HostAttributes of(Path path) throws IOException {
        Map<String, Object> all = Files.readAttributes(path, WANTED, LinkOption.NOFOLLOW_LINKS);
        long size = (Long) get(all, "size");
        long inode = (Long) get(all, "ino");
        return new HostAttributes(
                (Integer) get(all, "mode"),
                (Integer) get(all, "nlink"),
                (Integer) get(all, "uid"),
                (Integer) get(all, "gid"),
                size,
                AllocatedSpace.bytes(path, inode, size),
                (Long) get(all, "dev"),
                inode,
                (Long) get(all, "rdev"),
                (FileTime) get(all, "lastAccessTime"),
                (FileTime) get(all, "lastModifiedTime"),
                (FileTime) get(all, "ctime"),
                get(all, "fileKey"));
    }

    private static Object get(Map<String, Object> all, String name) {
        @Nullable Object value = all.get(name);
        return Objects.requireNonNull(value, name);
    }

    boolean isDirectory() {
        return (typeAndMode & TYPE) == DIRECTORY;
    }

    boolean isRegular() {
        return (typeAndMode & TYPE) == REGULAR;
    }

    boolean isSymbolicLink() {
        return (typeAndMode & TYPE) == SYMBOLIC_LINK;
    }

    /** Permissions, set-user-id, set-group-id and sticky bit. */
    int mode() {
        return typeAndMode & MODE;
    }

    FileType type() {
        return switch (typeAndMode & TYPE) {
            case DIRECTORY -> FileType.DIRECTORY;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case SYMBOLIC_LINK -> FileType.SYMBOLIC_LINK;
            case 0140000 -> FileType.SOCKET;
            case 0010000 -> FileType.NAMED_PIPE;
            default -> FileType.REGULAR;
        };
    }
}
