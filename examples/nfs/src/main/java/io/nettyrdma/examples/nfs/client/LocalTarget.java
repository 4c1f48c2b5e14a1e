// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Where a copy goes: the place of a regular file, or one where nothing is; or a pipe or the like, as it stands. */
final class LocalTarget {

    private LocalTarget() {}

    /** Whether there is something that takes octets as they come, which no file is to replace. */
    static boolean isStream(Path target) {
        return Files.exists(target) && !Files.isRegularFile(target) && !Files.isDirectory(target);
    }

    /**
     * The name to give the copy: that of the file itself where a symbolic link leads to one.
     *
     * @throws IOException if there can be no regular file
     */
    static Path resolve(Path target) throws IOException {
        Path folder = folder(target);
        if (!Files.isDirectory(folder)) {
            throw new IOException(
                    Files.exists(folder)
                            ? folder + " is not a folder"
                            : "no such folder: " + folder + "; make it first");
        }
        if (Files.isSymbolicLink(target) && !Files.exists(target)) {
            throw new IOException(target + " is a dangling symbolic link, not a regular file");
        }
        Path real = Files.isSymbolicLink(target) ? target.toRealPath() : target;
        requireReplaceable(real);
        return real;
    }

    private static Path folder(Path file) {
        Path folder = file.getParent();
        return folder == null ? Path.of("") : folder;
    }

    static void requireReplaceable(Path target) throws IOException {
        if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(target + " is a directory, not a regular file");
        }
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(target + " is not a regular file, so it is not replaced");
        }
    }

    /**
     * Makes the file that is to be the copy, with permissions as {@code cp} sets them: those of an old copy, or else
     * those of the original but for the umask.
     */
    static FileChannel create(Path part, Path target, int mode) throws IOException {
        boolean posix = part.getFileSystem().supportedFileAttributeViews().contains("posix");
        boolean replaces = posix && Files.exists(target);
        Set<PosixFilePermission> permissions = replaces ? Files.getPosixFilePermissions(target) : permissions(mode);
        FileAttribute<?>[] attributes = posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
        try {
            FileChannel out =
                    FileChannel.open(part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes);
            if (replaces) {
                Files.setPosixFilePermissions(part, permissions); // also those that the umask takes away
            }
            return out;
        } catch (AccessDeniedException e) { // which names a file that the user has not named
            throw new IOException(
                    "no permission to make a file in " + folder(target).toAbsolutePath(), e);
        }
    }

    /** Without setuid and the like, which would make the copy act as its owner. */
    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & 0400 >> permission.ordinal()) != 0) {
                permissions.add(permission);
            }
        }
        return permissions;
    }
}
