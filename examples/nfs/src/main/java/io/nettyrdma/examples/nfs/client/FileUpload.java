// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.Future;
import io.nettyrdma.examples.nfs.client.Nfs3Client.FoundFile;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Stability;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Copies a file to a server, with several WRITEs in flight. They are UNSTABLE and one COMMIT follows; what a server
 * that restarted meanwhile has forgotten is written again. The copy gets its name when it is complete and on stable
 * storage; until then, and not after a failure, there is a file of another name beside it.
 *
 * <p>Threading: one thread, not an event loop, which also does the file's input; it may be interrupted.
 */
public final class FileUpload {

    /** Times that a server may forget data before it is given up. */
    private static final int MAX_ROUNDS = 8;

    private final Nfs3Client nfs;
    private final int transferBytes;
    private final int callsInFlight;
    private final CopyListener listener;

    /** Part of a file, from the first octet on. */
    private record Range(long offset, long bytes) {

        long end() {
            return offset + bytes;
        }

        Range first(long maxBytes) {
            return new Range(offset, Math.min(bytes, maxBytes));
        }

        Range without(long firstBytes) {
            return new Range(offset + firstBytes, bytes - firstBytes);
        }
    }

    private record Request(Range range, Future<WriteReply> call) {}

    /** What was written with one verifier and is not on stable storage yet. */
    private record Uncommitted(Range range, long verifier) {}

    /**
     * A copier of any number of files, one after the other.
     *
     * @param transferBytes longest WRITE
     * @param callsInFlight WRITEs at a time
     * @param listener      told how it goes
     */
    public FileUpload(Nfs3Client nfs, int transferBytes, int callsInFlight, CopyListener listener) {
        this.nfs = nfs;
        this.transferBytes = transferBytes;
        this.callsInFlight = callsInFlight;
        this.listener = listener;
    }

    /**
     * Copies a file, replacing a regular one that has the name already.
     *
     * @param mode permission bits of the copy
     */
    public void copy(Path source, FileHandle directory, String name, int mode)
            throws IOException, InterruptedException {
        requireReplaceable(directory, name);
        String part = TemporaryName.of(name);
        try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ)) {
            listener.onStarted(in.size());
            FileHandle file = create(directory, part, mode);
            try {
                copy(in, file);
            } catch (ClosedByInterruptException e) {
                throw Replies.interrupted(e);
            }
            rename(file, directory, part, name);
        } catch (Throwable e) { // memory may be short, too
            removeAfter(e, directory, part);
            throw e;
        }
    }

    /** Only a regular file makes room for a copy; a link or a pipe has its name for a reason. */
    private void requireReplaceable(FileHandle directory, String name) throws IOException, InterruptedException {
        final FoundFile found;
        try {
            found = Replies.await(nfs.lookup(directory, name));
        } catch (Nfs3Exception e) {
            if (e.is(Nfs3Status.NOENT)) {
                return;
            }
            throw e;
        }
        FileAttributes known = found.attributes();
        FileType type = (known == null ? Replies.await(nfs.getAttributes(found.handle())) : known).type();
        if (type != FileType.REGULAR) {
            throw new IOException(
                    name + " is not a regular file at the server but of type " + type + ", so it is not replaced");
        }
    }

    /** A file of that name is nobody else's: a call from before a reconnect has made it. */
    private FileHandle create(FileHandle directory, String part, int mode) throws IOException, InterruptedException {
        try {
            return Replies.await(nfs.create(directory, part, mode)).handle();
        } catch (Nfs3Exception e) {
            if (!e.is(Nfs3Status.EXIST)) {
                throw e;
            }
            return Replies.await(nfs.lookup(directory, part)).handle();
        }
    }

    /** The old name may be gone because a call from before a reconnect has done its work; the new one tells. */
    private void rename(FileHandle file, FileHandle directory, String part, String name)
            throws IOException, InterruptedException {
        try {
            Replies.await(nfs.rename(directory, part, directory, name));
        } catch (Nfs3Exception e) {
            if (!e.is(Nfs3Status.NOENT)
                    || !Replies.await(nfs.lookup(directory, name)).handle().equals(file)) {
                throw e;
            }
        }
    }

    /** Leaves nothing behind, or says what. Without an answer to CREATE there may or may not be a file. */
    private void removeAfter(Throwable failure, FileHandle directory, String part) throws IOException {
        try {
            Replies.await(nfs.remove(directory, part));
        } catch (Throwable e) {
            if (e instanceof Nfs3Exception refused && refused.is(Nfs3Status.NOENT)) {
                return;
            }
            failure.addSuppressed(e);
            String reason = failure instanceof InterruptedException ? "interrupted" : failure.getMessage();
            throw new IOException(reason + "; " + part + " may be left behind in the server's directory", failure);
        }
    }

    private void copy(FileChannel in, FileHandle file) throws IOException, InterruptedException {
        List<Range> todo = in.size() == 0 ? List.of() : List.of(new Range(0, in.size()));
        for (int round = 0; round < MAX_ROUNDS; round++) {
            List<Uncommitted> uncommitted = write(in, file, todo);
            if (uncommitted.isEmpty()) {
                return;
            }
            long verifier = Replies.await(nfs.commit(file));
            todo = uncommitted.stream()
                    .filter(part -> part.verifier != verifier)
                    .map(Uncommitted::range)
                    .toList();
            if (todo.isEmpty()) {
                return;
            }
            todo.forEach(range -> listener.onCopied(-range.bytes()));
        }
        throw new IOException("the server has lost uncommitted data " + MAX_ROUNDS + " times");
    }

    private List<Uncommitted> write(FileChannel in, FileHandle file, List<Range> todo)
            throws IOException, InterruptedException {
        Deque<Range> missing = new ArrayDeque<>(todo);
        Deque<Request> window = new ArrayDeque<>();
        List<Uncommitted> uncommitted = new ArrayList<>();
        while (true) {
            while (!missing.isEmpty() && window.size() < callsInFlight) {
                send(in, file, missing, window);
            }
            if (window.isEmpty()) {
                return uncommitted;
            }
            Range range = window.element().range;
            WriteReply reply = Replies.await(window.remove().call);
            if (reply.countBytes() == 0) {
                throw new IOException("the server accepts no data at byte " + range.offset());
            }
            listener.onCopied(reply.countBytes());
            if (reply.countBytes() < range.bytes()) {
                missing.addFirst(range.without(reply.countBytes())); // a server may take less than it was given
            }
            if (reply.committed() == Stability.UNSTABLE) {
                add(uncommitted, range.first(reply.countBytes()), reply.verifier());
            }
        }
    }

    private void send(FileChannel in, FileHandle file, Deque<Range> missing, Deque<Request> window) throws IOException {
        Range next = missing.remove();
        Range range = next.first(transferBytes);
        window.add(new Request(range, nfs.write(file, range.offset(), read(in, range), Stability.UNSTABLE)));
        if (range.bytes() < next.bytes()) {
            missing.addFirst(next.without(range.bytes()));
        }
    }

    private static ByteBuf read(FileChannel in, Range range) throws IOException {
        ByteBuf data = PooledByteBufAllocator.DEFAULT.directBuffer((int) range.bytes());
        try {
            for (int missing = (int) range.bytes(); missing > 0; ) {
                int bytes = data.writeBytes(in, range.end() - missing, missing);
                if (bytes < 0) {
                    if (!in.isOpen()) {
                        throw new ClosedByInterruptException(); // which Netty takes for the end of the file
                    }
                    throw new EOFException("the file became shorter while it was copied: it ends at byte "
                            + (range.end() - missing) + " now");
                }
                missing -= bytes;
            }
            return data.retain();
        } finally {
            data.release();
        }
    }

    /** Neighbours become one, so that a long file written at one go is a single entry. */
    private static void add(List<Uncommitted> uncommitted, Range range, long verifier) {
        int last = uncommitted.size() - 1;
        if (last >= 0
                && uncommitted.get(last).verifier == verifier
                && uncommitted.get(last).range.end() == range.offset()) {
            Range before = uncommitted.get(last).range;
            uncommitted.set(
                    last, new Uncommitted(new Range(before.offset(), before.bytes() + range.bytes()), verifier));
        } else {
            uncommitted.add(new Uncommitted(range, verifier));
        }
    }
}
