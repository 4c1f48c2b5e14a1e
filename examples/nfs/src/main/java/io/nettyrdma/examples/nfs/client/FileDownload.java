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
import java.nio.channels.GatheringByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;

/**
 * Copies a file from a server, with several READs in flight, and writes what they bring in order. The copy gets its
 * name when it is complete; until then, and not after a failure, there is a file of another name beside it.
 *
 * <p>Threading: one thread, not an event loop, which also does the file's input and output; it may be interrupted.
 */
public final class FileDownload {

    private final Nfs3Client nfs;
    private final int transferBytes;
    private final int callsInFlight;
    private final CopyListener listener;
    private final IntFunction<ByteBuf> memory;

    private record Request(long offset, int bytes, ByteBuf target, Future<ReadReply> call) {}

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
     * Copies a regular file, replacing {@code named}, or the file that it leads to as a symbolic link, if it exists.
     * What exists and is no regular file, such as a pipe, is written to and stays. If the file gets longer meanwhile,
     * what was there at the beginning is copied; if it gets shorter, the copy fails.
     *
     * @throws IOException if the target is a directory, or in none, among others
     */
    public void copy(FileHandle file, Path named) throws IOException, InterruptedException {
        FileAttributes attributes = attributes(file);
        if (LocalTarget.isStream(named)) {
            try (FileChannel out = FileChannel.open(named, StandardOpenOption.WRITE)) {
                copy(file, attributes, out);
            }
            return;
        }
        Path target = LocalTarget.resolve(named);
        Path part = target.resolveSibling(TemporaryName.of(target.getFileName().toString()));
        try (FileChannel out = LocalTarget.create(part, target, attributes.mode())) {
            copy(file, attributes, out);
            out.force(true);
            LocalTarget.requireReplaceable(target); // still
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (ClosedByInterruptException e) {
            throw Replies.interrupted(e);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Copies a regular file to what takes the octets in order, such as the standard output; it stays open. */
    public void copy(FileHandle file, GatheringByteChannel out) throws IOException, InterruptedException {
        copy(file, attributes(file), out);
    }

    private FileAttributes attributes(FileHandle file) throws IOException, InterruptedException {
        FileAttributes attributes = Replies.await(nfs.getAttributes(file));
        if (attributes.type() != FileType.REGULAR) {
            throw new IOException("not a regular file, but of type " + attributes.type());
        }
        if (attributes.sizeBytes() < 0) {
            throw new IOException("the server says that the file has "
                    + Long.toUnsignedString(attributes.sizeBytes()) + " bytes; at most " + Long.MAX_VALUE
                    + " can be copied");
        }
        return attributes;
    }

    private void copy(FileHandle file, FileAttributes attributes, GatheringByteChannel out)
            throws IOException, InterruptedException {
        long size = attributes.sizeBytes();
        Deque<Request> window = new ArrayDeque<>();
        Deque<ByteBuf> targets = new ArrayDeque<>();
        listener.onStarted(size);
        try {
            for (int i = 0; i < callsInFlight; i++) {
                targets.add(memory.apply(transferBytes));
            }
            for (long next = 0; next < size || !window.isEmpty(); ) {
                while (next < size && !targets.isEmpty()) {
                    window.add(send(file, next, (int) Math.min(transferBytes, size - next), targets));
                    next += window.getLast().bytes;
                }
                // The oldest is the first to be answered, as a rule; the others wait in memory of their own.
                Request oldest = window.element();
                ReadReply reply = Replies.await(oldest.call);
                window.remove();
                targets.add(oldest.target);
                int bytes;
                try {
                    bytes = store(reply, oldest, out);
                } finally {
                    reply.release();
                }
                listener.onCopied(bytes);
                if (bytes < oldest.bytes) { // a server may return less than was asked for; the rest comes next
                    window.addFirst(send(file, oldest.offset + bytes, oldest.bytes - bytes, targets));
                }
            }
        } catch (ClosedByInterruptException e) {
            throw Replies.interrupted(e);
        } finally {
            targets.forEach(ByteBuf::release);
            for (Request request : window) {
                Replies.discard(request.call);
                request.call.addListener(done -> request.target.release());
            }
        }
    }

    private Request send(FileHandle file, long offset, int bytes, Deque<ByteBuf> targets) {
        ByteBuf target = targets.element();
        Future<ReadReply> call = nfs.read(file, offset, bytes, target.clear());
        targets.remove();
        return new Request(offset, bytes, target, call);
    }

    private static int store(ReadReply reply, Request request, GatheringByteChannel out) throws IOException {
        ByteBuf data = reply.content();
        int bytes = data.readableBytes();
        if (bytes == 0 || reply.isEndOfFile() && bytes < request.bytes) {
            throw new EOFException("the file became shorter while it was copied: it ends at byte "
                    + (request.offset + bytes) + " now");
        }
        try {
            while (data.isReadable()) {
                data.readBytes(out, data.readableBytes());
            }
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) { // such as a full disk, or a pipe without a reader
            throw new IOException("cannot write the copy: " + e.getMessage(), e);
        }
        return bytes;
    }
}
