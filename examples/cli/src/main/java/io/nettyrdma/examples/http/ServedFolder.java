// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder whose files are served. It opens one name after the other relative to the directory before it and follows
 * no symbolic link, so a user of this machine who renames directories meanwhile cannot lead it out of the folder.
 *
 * <p>Threading: any thread. Ownership: owns the open folder; the caller owns each file.
 */
final class ServedFolder implements Closeable {

    private static final int MAX_NAME_BYTES = 255;
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final SecureDirectoryStream<Path> root;

    private ServedFolder(SecureDirectoryStream<Path> root) {
        this.root = root;
    }

    /**
     * Opens a folder. This path itself may be a symbolic link.
     *
     * @throws IOException if it is not a readable directory, or this system cannot open files relative to it
     */
    static ServedFolder open(Path folder) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(folder);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return new ServedFolder(secure);
        }
        stream.close();
        throw new IOException("cannot serve " + folder + ": this system cannot open files relative to a directory;"
                + " use Linux or macOS");
    }

    /** Opens a regular file, or returns null if the folder has no such file or the server may not read it. */
    @Nullable
    FileChannel find(List<String> names) throws IOException {
        try {
            return find(root, names);
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException | InvalidPathException e) {
            return null; // a path is invalid if the system's names are of another character set
        }
    }

    private static @Nullable FileChannel find(SecureDirectoryStream<Path> directory, List<String> names)
            throws IOException {
        String name = names.get(0);
        if (Set.of("", ".", "..").contains(name) || name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            return null;
        }
        Path path = Path.of(name);
        BasicFileAttributes attributes = directory
                .getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
        if (names.size() == 1) {
            // Opening a named pipe would wait for its other end.
            return attributes.isRegularFile() ? (FileChannel) directory.newByteChannel(path, READ) : null;
        }
        if (!attributes.isDirectory()) {
            return null;
        }
        try (SecureDirectoryStream<Path> next = directory.newDirectoryStream(path, LinkOption.NOFOLLOW_LINKS)) {
            return find(next, names.subList(1, names.size()));
        }
    }

    @Override
    public void close() throws IOException {
        root.close();
    }
}
