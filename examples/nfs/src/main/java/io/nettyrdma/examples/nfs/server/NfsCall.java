// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.WccData;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A call in progress: arguments, result, and the objects that it is about. The result has the attributes of those
 * objects whether the call succeeds or not.
 *
 * <p>Threading: confined to the worker that executes it. Ownership: arguments and result stay the caller's; the call
 * owns its locks and what it has open.
 */
final class NfsCall implements Closeable {

    /** An object whose attributes, before and after, the client wants to know. */
    private record Subject(Node node, HostFile before) {}

    private static final Path THIS = Path.of(".");

    final Export export;
    final Arguments in;
    final ByteBuf out;
    private final boolean stable;
    private final List<Subject> subjects = new ArrayList<>(2);
    private final List<Lock> locked = new ArrayList<>(2);
    private final List<FileChannel> toSync = new ArrayList<>(2);
    private final List<Closeable> toClose = new ArrayList<>(2);
    private final List<String> names = new ArrayList<>(2);

    /** @param stable whether changes are on the disk before they are answered */
    NfsCall(Export export, Arguments in, ByteBuf out, boolean stable) {
        this.export = export;
        this.in = in;
        this.out = out;
        this.stable = stable;
    }

    /** Reads a handle. */
    Node readNode() throws NfsException, GarbageException {
        return export.table.resolve(in.readHandle());
    }

    /** Reads a name, for the log as well. */
    Path readName() throws NfsException, GarbageException {
        Path name = in.readName();
        names.add(name.toString());
        return name;
    }

    /** Locks objects that the call is going to change, in the order in which all calls do. */
    void lock(Node... nodes) {
        Stream.of(nodes)
                .sorted(Comparator.comparingInt(Export::lockIndex))
                .map(export::lock)
                .forEach(lock -> {
                    lock.lock();
                    locked.add(lock);
                });
    }

    /** Finds an object; it becomes the call's next subject. */
    HostFile subject(Node node) throws IOException, NfsException {
        HostFile file = export.attributes(node);
        subjects.add(new Subject(node, file));
        return file;
    }

    /** The same for a directory. */
    HostFile directorySubject(Node node) throws IOException, NfsException {
        HostFile file = subject(node);
        if (!file.is(FileType.DIRECTORY)) {
            throw new NfsException(Nfs3Status.NOTDIR);
        }
        return file;
    }

    /** The names that the call is about, for the log. */
    String names() {
        return String.join(" ", names);
    }

    void writeHandle(Node node) {
        Xdr.writeOpaque(out, export.table.handle(node));
    }

    /** {@code post_op_fh3}. */
    void writePostOpHandle(@Nullable Node node) {
        Xdr.writeBoolean(out, node != null);
        if (node != null) {
            writeHandle(node);
        }
    }

    /** {@code post_op_attr}. */
    void writePostOp(@Nullable HostFile file) {
        FileAttributes.writeOptional(out, file == null ? null : file.attributes());
    }

    /** {@code post_op_attr} of the n-th subject as it is now. */
    void writePostOp(int n) {
        writePostOp(now(n));
    }

    /** {@code wcc_data} of the n-th subject. */
    void writeWcc(int n) {
        @Nullable HostFile after = now(n);
        WccData.write(
                out,
                n < subjects.size() ? subjects.get(n).before.attributes() : null,
                after == null ? null : after.attributes());
    }

    /** A path on the file system that the call is about. */
    Path place() {
        try {
            return subjects.isEmpty()
                    ? export.root()
                    : export.locate(subjects.get(0).node).path();
        } catch (IOException | NfsException e) {
            return export.root();
        }
    }

    private @Nullable HostFile now(int n) {
        try {
            return n < subjects.size() ? export.attributes(subjects.get(n).node) : null;
        } catch (IOException | NfsException e) {
            return null; // optional for this very case
        }
    }

    /**
     * Has the entries of a directory on the disk before the call is answered. Call this before they change, so that
     * nothing is done if the directory cannot be opened.
     */
    void syncDirectory(Node node) throws IOException, NfsException {
        if (stable) {
            try (Held directory = export.directory(node)) {
                FileChannel channel =
                        (FileChannel) directory.directory().newByteChannel(THIS, Set.of(StandardOpenOption.READ));
                toSync.add(channel);
                toClose.add(channel);
            }
        }
    }

    /** The same for the attributes and data of an open file, which the call closes. */
    void syncFile(Held file) {
        toClose.add(file);
        if (stable) {
            toSync.add(file.channel());
        }
    }

    boolean isStable() {
        return stable;
    }

    /** Waits for the disk; without locks, since it takes long. */
    void finish() throws IOException {
        unlock();
        for (FileChannel channel : toSync) {
            export.force(channel, true);
        }
    }

    private void unlock() {
        locked.forEach(Lock::unlock);
        locked.clear();
    }

    /** Closes what is open, however the call ended. */
    @Override
    public void close() throws IOException {
        unlock();
        for (Closeable open : toClose) {
            open.close();
        }
    }
}
