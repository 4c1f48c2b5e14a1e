// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call in progress: arguments, result, caller, and the objects it is about, whose attributes go into the result
 * whether it succeeds or not.
 *
 * <p>Threading: confined to the worker that executes it. Ownership: arguments and result stay the caller's.
 */
final class NfsCall {

    /** An object whose attributes, before and after, the client wants to know. */
    private record Subject(Node node, HostAttributes before) {}

    private static final Logger logger = LoggerFactory.getLogger(NfsCall.class);

    /** Longest name or path in the log, in characters. */
    private static final int MAX_LOGGED = 80;

    final LocalStore store;
    final Identity identity;
    final Arguments in;
    final ByteBuf out;
    private final boolean stable;
    private final List<Subject> subjects = new ArrayList<>(2);
    private final List<FileChannel> toSync = new ArrayList<>(2);
    private final List<Closeable> toClose = new ArrayList<>(2);
    private String about = "";

    /** @param stable whether changes have to be on stable storage before they are answered */
    NfsCall(LocalStore store, Identity identity, Arguments in, ByteBuf out, boolean stable) {
        this.store = store;
        this.identity = identity;
        this.in = in;
        this.out = out;
        this.stable = stable;
    }

    /** Reads a handle and finds its object; it becomes the call's next subject. */
    Located readObject() throws IOException, NfsException, GarbageException {
        Located object = store.locate(store.table().resolve(in.readHandle()));
        subjects.add(new Subject(object.node(), object.attributes()));
        note(store.nameOf(object));
        return object;
    }

    /** The same for a directory, which is open then; the caller closes it. */
    OpenDirectory readDirectory() throws IOException, NfsException, GarbageException {
        return store.open(readObject());
    }

    /** Notes what goes into the log. */
    void note(Object what) {
        String text = what.toString();
        text = text.length() > MAX_LOGGED ? text.substring(0, MAX_LOGGED) + "..." : text;
        about = about.isEmpty() ? text : about + ' ' + text;
    }

    String about() {
        return about;
    }

    /** {@code post_op_attr} of the n-th subject as it is now. */
    void writePostOp(int n) {
        Results.postOp(out, now(n));
    }

    /** {@code wcc_data} of the n-th subject. */
    void writeWcc(int n) {
        Results.wcc(out, n < subjects.size() ? subjects.get(n).before : null, now(n));
    }

    private @Nullable HostAttributes now(int n) {
        if (n >= subjects.size()) {
            return null;
        }
        try {
            return store.locate(subjects.get(n).node).attributes();
        } catch (IOException | NfsException e) {
            return null; // optional for this very case
        }
    }

    /**
     * Has a directory's entries on stable storage before the call is answered. To be called before they change, so that
     * nothing is done if the directory cannot be opened.
     */
    void syncDirectory(OpenDirectory directory) throws IOException {
        if (stable) {
            sync(FileChannel.open(directory.path(), StandardOpenOption.READ));
        }
    }

    /** The same for a file that only the server can reach. */
    void syncNewFile(Path staged) throws IOException {
        if (stable) {
            sync(FileChannel.open(staged, StandardOpenOption.WRITE));
        }
    }

    private void sync(FileChannel channel) {
        toSync.add(channel);
        toClose.add(channel);
    }

    /** Whether changes have to be on stable storage before they are answered. */
    boolean isStable() {
        return stable;
    }

    /** The same for a file that is open, which this object closes. */
    void syncFile(HeldFile file) {
        toSync.add(file.channel());
        toClose.add(file);
    }

    /** Waits for the disc; without locks, for it takes long. */
    void finish() throws IOException {
        for (FileChannel channel : toSync) {
            channel.force(true);
        }
    }

    /** Closes what is open, however the call ended. */
    void close() {
        for (Closeable open : toClose) {
            try {
                open.close();
            } catch (IOException e) {
                logger.warn("closing a file failed", e); // what it holds has been forced, or was not to be
            }
        }
        toSync.clear();
        toClose.clear();
    }
}
