// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Target of {@link FileRegion#transferTo}: a buffer with room for a given number of bytes.
 *
 * <p>Threading: the loop's. Ownership: of nothing; the buffer is set only during {@link #read}.
 */
final class FileRegionChannel implements WritableByteChannel {

    private @Nullable ByteBuf target;
    private int room;

    /**
     * Appends the next bytes of a region to a buffer: fewer than {@code bytes} if the region gives no more or fails.
     *
     * @param bytes the limit, for which the buffer has room
     */
    void read(FileRegion region, ByteBuf buffer, int bytes) throws IOException {
        target = buffer;
        room = bytes;
        try {
            while (room > 0 && region.transferred() < region.count()) {
                if (region.transferTo(this, region.transferred()) <= 0) {
                    break;
                }
            }
        } finally {
            target = null;
        }
    }

    @Override
    public int write(ByteBuffer source) {
        ByteBuf into = target;
        if (into == null) {
            throw new IllegalStateException("the FileRegion writes outside of transferTo(); write there only");
        }
        int bytes = Math.min(source.remaining(), room);
        int end = source.limit();
        source.limit(source.position() + bytes);
        into.writeBytes(source);
        source.limit(end);
        room -= bytes;
        return bytes;
    }

    @Override
    public boolean isOpen() {
        return target != null;
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("a FileRegion must not close the channel; call close() of the channel");
    }
}
