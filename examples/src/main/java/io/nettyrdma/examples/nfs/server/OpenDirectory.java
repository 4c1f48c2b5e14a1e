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
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open directory of the export, reached from the root step by step without following a symbolic link: whatever others
 * do meanwhile, what is done relative to it stays inside the export. What Java cannot do relative to a directory (make
 * directories and links, read the owner as a number) is done by path and then compared with what is in here.
 *
 * <p>Threading: confined to the call it is for. Ownership: owns the open directory.
 */
final class OpenDirectory implements Closeable {

    private final Node node;
    private final Path path;
    private final HostAttributes attributes;
    private final SecureDirectoryStream<Path> stream;

    private OpenDirectory(Node node, Path path, HostAttributes attributes, SecureDirectoryStream<Path> stream) {
        this.node = node;
        this.path = path;
        this.attributes = attributes;
        this.stream = stream;
    }

    static OpenDirectory open(Path root, LocalStore.Located directory) throws IOException, NfsException {
        Path path = directory.path();
        SecureDirectoryStream<Path> stream = secure(Files.newDirectoryStream(root));
        try {
            if (!path.equals(root)) {
                for (Path name : root.relativize(path)) {
                    SecureDirectoryStream<Path> next = stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
                    stream.close();
                    stream = next;
                }
            }
            Object key = stream.getFileAttributeView(BasicFileAttributeView.class)
                    .readAttributes()
                    .fileKey();
            if (!directory.attributes().fileKey().equals(key)) {
                throw new NfsException(Nfs3Status.STALE);
            }
            return new OpenDirectory(directory.node(), path, directory.attributes(), stream);
        } catch (IOException | NfsException | RuntimeException e) {
            stream.close();
            throw e;
        }
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new IOException("this system has no secure directory streams; Linux is needed");
    }

    Node node() {
        return node;
    }

    /** What they were when the directory was opened. */
    HostAttributes attributes() {
        return attributes;
    }

    /** For what works by path only; see {@link #entry}. */
    Path path(Path name) {
        return path.resolve(name);
    }

    /** The names in it; once per open directory. */
    Iterable<Path> names() {
        return stream;
    }

    /** The attributes of an entry that is certainly in this directory, or null if there is none. */
    @Nullable
    HostAttributes find(Path name) throws IOException {
        try {
            HostAttributes found = HostAttributes.of(path(name));
            Object key = stream.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .fileKey();
            // A difference means that somebody moved one of the directories above meanwhile.
            return found.fileKey().equals(key) ? found : null;
        } catch (IOException e) {
            if (HostErrors.status(e) == Nfs3Status.NOENT) {
                return null;
            }
            throw e;
        }
    }

    /** As {@link #find}, but there has to be one. */
    HostAttributes entry(Path name) throws IOException, NfsException {
        @Nullable HostAttributes found = find(name);
        if (found == null) {
            throw new NfsException(Nfs3Status.NOENT);
        }
        return found;
    }

    /** Opens a regular file; the caller has seen that it is one, for opening a named pipe might never end. */
    FileChannel open(Path name, StandardOpenOption access) throws IOException {
        return (FileChannel) stream.newByteChannel(name, Set.<OpenOption>of(access, LinkOption.NOFOLLOW_LINKS));
    }

    /** Makes and opens a regular file nobody else can use yet; fails if the name is taken. */
    FileChannel create(Path name) throws IOException {
        return (FileChannel) stream.newByteChannel(
                name,
                Set.<OpenOption>of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    void delete(Path name, HostAttributes entry) throws IOException {
        if (entry.isDirectory()) {
            stream.deleteDirectory(name);
        } else {
            stream.deleteFile(name);
        }
    }

    void move(Path name, OpenDirectory target, Path targetName) throws IOException {
        stream.move(name, target.stream, targetName);
    }

    /** For changes of owner, permissions and times; does not work on symbolic links. */
    PosixFileAttributeView view(Path name) {
        return stream.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** The same for the directory itself. */
    PosixFileAttributeView view() {
        return stream.getFileAttributeView(PosixFileAttributeView.class);
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
