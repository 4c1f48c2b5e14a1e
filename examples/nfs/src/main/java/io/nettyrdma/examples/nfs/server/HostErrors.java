// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of an error of the host. Java has classes for few errors and gives the rest as text in the language of the
 * user, so the server asks the host again why it may have failed.
 */
final class HostErrors {

    private static final int MAX_PATH_CHARACTERS = 4095; // that Linux takes at a time
    private static final Map<Class<? extends IOException>, Nfs3Status> BY_CLASS = Map.of(
            NoSuchFileException.class, Nfs3Status.NOENT,
            FileAlreadyExistsException.class, Nfs3Status.EXIST,
            AccessDeniedException.class, Nfs3Status.ACCES,
            DirectoryNotEmptyException.class, Nfs3Status.NOTEMPTY,
            NotDirectoryException.class, Nfs3Status.NOTDIR,
            AtomicMoveNotSupportedException.class, Nfs3Status.XDEV);

    private static final long SHORT_NANOS = 10_000_000_000L;
    private static volatile long missingUntil = System.nanoTime();

    private HostErrors() {}

    /** The status of an error in the file system of a place; the likely one if the host does not show a reason. */
    static Nfs3Status status(IOException failure, Path place, Nfs3Status otherwise) {
        @Nullable
        Nfs3Status known = failure instanceof NfsException own ? own.status : BY_CLASS.get(failure.getClass());
        if (known != null || wereDescriptorsMissing()) {
            return known == null ? Nfs3Status.JUKEBOX : known;
        }
        @Nullable String path = failure instanceof FileSystemException about ? about.getFile() : null;
        if (path != null && path.length() > MAX_PATH_CHARACTERS) {
            return Nfs3Status.NAMETOOLONG;
        }
        try {
            FileStore store = Files.getFileStore(place);
            return store.isReadOnly() ? Nfs3Status.ROFS : store.getUsableSpace() == 0 ? Nfs3Status.NOSPC : otherwise;
        } catch (IOException e) {
            return otherwise;
        }
    }

    /** Why a file could not grow: the disk is full, the file would be longer than the disk, or a quota is used up. */
    static NfsException ofGrowth(IOException failure, Path place, long end, long bytes) throws IOException {
        FileStore store = Files.getFileStore(place);
        Nfs3Status otherwise = end > store.getTotalSpace() ? Nfs3Status.FBIG : Nfs3Status.DQUOT;
        return new NfsException(status(failure, place, store.getUsableSpace() < bytes ? Nfs3Status.NOSPC : otherwise));
    }

    /** Whether there is no descriptor, or was none a short time ago: what has failed was before this question. */
    private static boolean wereDescriptorsMissing() {
        try {
            FileChannel.open(Path.of("/"), StandardOpenOption.READ).close();
        } catch (IOException e) {
            missingUntil = System.nanoTime() + SHORT_NANOS;
        }
        return System.nanoTime() - missingUntil < 0;
    }
}
