// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.handler.stream.ChunkedInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, in chunks that are made when the connection takes them.
 *
 * <p>Threading: confined to the event loop of its connection. Ownership: of the file or buffer, until it is closed.
 */
abstract class ReplyBody implements ChunkedInput<ByteBuf> {

    private static final int CHUNK_BYTES = 64 * 1024;

    private final long length;
    private long offset;

    private ReplyBody(long length) {
        this.length = length;
    }

    /** All bytes of a file; the file becomes the body's. */
    static ReplyBody of(FileChannel file) throws IOException {
        return new OfFile(file, file.size());
    }

    /** The readable bytes of a buffer; the reference becomes the body's. */
    static ReplyBody of(ByteBuf bytes) {
        return new OfBytes(bytes);
    }

    abstract ByteBuf read(ByteBufAllocator allocator, long from, int count) throws IOException;

    /** Returns the same as a region, which owns the file from then on, or null if it is not a file. */
    @Nullable
    FileRegion toRegion() {
        return null;
    }

    @Override
    public abstract void close();

    @Override
    public final boolean isEndOfInput() {
        return offset >= length;
    }

    @Override
    public final @Nullable ByteBuf readChunk(ByteBufAllocator allocator) throws IOException {
        if (isEndOfInput()) {
            return null;
        }
        ByteBuf chunk = read(allocator, offset, (int) Math.min(CHUNK_BYTES, length - offset));
        offset += chunk.readableBytes();
        return chunk;
    }

    @Deprecated
    @Override
    public final @Nullable ByteBuf readChunk(ChannelHandlerContext context) throws IOException {
        return readChunk(context.alloc());
    }

    @Override
    public final long length() {
        return length;
    }

    @Override
    public final long progress() {
        return offset;
    }

    private static final class OfFile extends ReplyBody {
        private final FileChannel file;

        OfFile(FileChannel file, long length) {
            super(length);
            this.file = file;
        }

        @Override
        ByteBuf read(ByteBufAllocator allocator, long from, int count) throws IOException {
            ByteBuf chunk = allocator.buffer(count, count);
            boolean complete = false;
            try {
                while (chunk.isWritable()) {
                    if (chunk.writeBytes(file, from + chunk.readableBytes(), chunk.writableBytes()) < 0) {
                        throw new IOException("a file became shorter while it was sent");
                    }
                }
                complete = true;
                return chunk;
            } finally {
                if (!complete) {
                    chunk.release();
                }
            }
        }

        @Override
        FileRegion toRegion() {
            return new DefaultFileRegion(file, 0, length());
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException("closing a file that was read failed", e);
            }
        }
    }

    private static final class OfBytes extends ReplyBody {
        private final ByteBuf bytes;
        private final int start;

        OfBytes(ByteBuf bytes) {
            super(bytes.readableBytes());
            this.bytes = bytes;
            start = bytes.readerIndex();
        }

        @Override
        ByteBuf read(ByteBufAllocator allocator, long from, int count) {
            return bytes.retainedSlice(start + (int) from, count);
        }

        @Override
        public void close() {
            bytes.release();
        }
    }
}
