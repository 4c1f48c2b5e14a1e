// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;

/**
 * An object of the host: its attributes as clients see them, and the key that tells it from all other objects.
 *
 * @param key device and inode, as {@code BasicFileAttributes.fileKey()} returns them
 */
record HostFile(FileAttributes attributes, Object key) {

    private static final String WANTED =
            "unix:mode,nlink,uid,gid,size,dev,ino,lastAccessTime,lastModifiedTime,ctime,fileKey";

    /** Reads the attributes of an object; those of a symbolic link, not of its target. */
    static HostFile of(Path path) throws IOException {
        Map<String, Object> all = Files.readAttributes(path, WANTED, LinkOption.NOFOLLOW_LINKS);
        int mode = (Integer) get(all, "mode");
        long size = (Long) get(all, "size");
        FileAttributes attributes = new FileAttributes(
                type(mode),
                mode & 07777,
                (Integer) get(all, "nlink"),
                (Integer) get(all, "uid"),
                (Integer) get(all, "gid"),
                size,
                size, // Java does not tell the space that a file takes
                0, // numbers of devices are of this host
                1, // one export is one file system to its clients
                // The export may span several file systems of the host.
                (Long) get(all, "ino") ^ Long.rotateLeft((Long) get(all, "dev"), 40),
                ((FileTime) get(all, "lastAccessTime")).toInstant(),
                ((FileTime) get(all, "lastModifiedTime")).toInstant(),
                ((FileTime) get(all, "ctime")).toInstant());
        return new HostFile(attributes, get(all, "fileKey"));
    }

    private static Object get(Map<String, Object> all, String name) {
        return Objects.requireNonNull(all.get(name), name);
    }

    private static FileType type(int mode) {
        return switch (mode >>> 12) {
            case 4 -> FileType.DIRECTORY;
            case 6 -> FileType.BLOCK_DEVICE;
            case 2 -> FileType.CHARACTER_DEVICE;
            case 10 -> FileType.SYMBOLIC_LINK;
            case 12 -> FileType.SOCKET;
            case 1 -> FileType.NAMED_PIPE;
            default -> FileType.REGULAR;
        };
    }

    boolean is(FileType type) {
        return attributes.type() == type;
    }
}
