// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.Future;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.FileType;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;

/**
 * Copies a file from a server, with several READs in flight. The copy gets its name when it is complete; until then,
 * and not after a failure, there is a file of another name beside it.
 *
 * <p>Threading: one thread, not an event loop, which also does the file's input and output; it may be interrupted.
 */
public final class FileDownload {

    private final Nfs3Client nfs;
    private final int transferBytes;
    private final int callsInFlight;
    private final CopyListener listener;
    private final IntFunction<ByteBuf> memory;

    private record Request(Range range, ByteBuf target, Future<ReadReply> call) {}

    /**
     * A copier of any number of files, one after the other.
     *
     * @param transferBytes longest READ
     * @param callsInFlight READs at a time
     * @param listener      told how it goes
     */
    public FileDownload(Nfs3Client nfs, int transferBytes, int callsInFlight, CopyListener listener) {
        this(
                nfs,
                transferBytes,
                callsInFlight,
                listener,
                bytes -> PooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes));
    }

    /** @param memory gives so many bytes for what is read */
    FileDownload(
            Nfs3Client nfs, int transferBytes, int callsInFlight, CopyListener listener, IntFunction<ByteBuf> memory) {
        this.memory = memory;
        this.nfs = nfs;
        this.transferBytes = transferBytes;
        this.callsInFlight = callsInFlight;
        this.listener = listener;
    }

    /**
     * Copies a regular file, replacing {@code named}, or the file that it leads to as a symbolic link, if it exists. If
     * the file gets longer meanwhile, what was there at the beginning is copied; if it gets shorter, the copy fails.
     *
     * @throws IOException if the target is something else than a regular file, which is not replaced, among others
     */
    public void copy(FileHandle file, Path named) throws IOException, InterruptedException {
        FileAttributes attributes = Replies.await(nfs.getAttributes(file));
        if (attributes.type() != FileType.REGULAR) {
            throw new IOException("not a regular file, but of type " + attributes.type());
        }
        if (attributes.sizeBytes() < 0) {
            throw new IOException("the server says that the file has "
                    + Long.toUnsignedString(attributes.sizeBytes()) + " bytes; at most " + Long.MAX_VALUE
                    + " can be copied");
        }
        Path target = LocalTarget.resolve(named);
        listener.onStarted(attributes.sizeBytes());
        Path part = target.resolveSibling(TemporaryName.of(target.getFileName().toString()));
        try (FileChannel out = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            copy(file, new Range(0, attributes.sizeBytes()), out);
            out.force(true);
            LocalTarget.requireReplaceable(target); // still
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (ClosedByInterruptException e) {
            throw Replies.interrupted(e);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private void copy(FileHandle file, Range all, FileChannel out) throws IOException, InterruptedException {
        Deque<Range> missing = new ArrayDeque<>();
        Deque<Request> window = new ArrayDeque<>();
        Deque<ByteBuf> targets = new ArrayDeque<>();
        if (all.bytes() > 0) {
            missing.add(all);
        }
        try {
            for (int i = 0; i < callsInFlight; i++) {
                targets.add(memory.apply(transferBytes));
            }
            while (!missing.isEmpty() || !window.isEmpty()) {
                while (!missing.isEmpty() && !targets.isEmpty()) {
                    send(file, missing, targets, window);
                }
                // The oldest is the first to be answered, as a rule; the others wait in memory of their own.
                Request oldest = window.element();
                ReadReply reply = Replies.await(oldest.call);
                window.remove();
                try {
                    int bytes = store(reply, oldest.range, out);
                    listener.onCopied(bytes);
                    if (bytes < oldest.range.bytes()) {
                        missing.addFirst(oldest.range.without(bytes)); // a server may return less than was asked for
                    }
                } finally {
                    reply.release();
                    targets.add(oldest.target);
                }
            }
        } finally {
            targets.forEach(ByteBuf::release);
            for (Request request : window) {
                Replies.discard(request.call);
                request.call.addListener(done -> request.target.release());
            }
        }
    }

    private void send(FileHandle file, Deque<Range> missing, Deque<ByteBuf> targets, Deque<Request> window) {
        Range next = missing.remove();
        Range range = next.first(transferBytes);
        ByteBuf target = targets.element();
        Future<ReadReply> call = nfs.read(file, range.offset(), (int) range.bytes(), target.clear());
        targets.remove();
        window.add(new Request(range, target, call));
        if (range.bytes() < next.bytes()) {
            missing.addFirst(next.without(range.bytes()));
        }
    }

    private static int store(ReadReply reply, Range range, FileChannel out) throws IOException {
        ByteBuf data = reply.content();
        int bytes = data.readableBytes();
        if (bytes == 0 || reply.isEndOfFile() && bytes < range.bytes()) {
            throw new EOFException("the file became shorter while it was copied: it ends at byte "
                    + (range.offset() + bytes) + " now");
        }
        long position = range.offset();
        while (data.isReadable()) {
            position += data.readBytes(out, position, data.readableBytes());
        }
        return bytes;
    }
}
