// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Steps over the XDR data of a message (RFC 4506) and notes the items that may be reduced. It never throws for what the
 * message says: whatever would lead out of the message fails the cursor, and a failed cursor stays where it is, reads
 * zeros and notes nothing more. Callers may so check once at the end.
 *
 * <p>Threading: one thread. Ownership: borrows the message and leaves its indices alone.
 */
final class XdrCursor {

    private static final BitSet NONE_REDUCED = new BitSet(0);

    private final ByteBuf message;
    private final int start;
    private final int end;
    private final BitSet reduced;
    private List<XdrItem> items = List.of();
    private int position;
    private long count = -1;
    private boolean failed;

    /** From the XID on; nothing was taken out. */
    XdrCursor(ByteBuf message) {
        this(message, 0, message.readableBytes());
    }

    /** Between two offsets from the XID; nothing was taken out. */
    XdrCursor(ByteBuf message, int position, int end) {
        this(message, position, end, NONE_REDUCED);
    }

    /**
     * Between two offsets from the XID; content and padding of the reducible items whose bits are set are not there.
     */
    XdrCursor(ByteBuf message, int position, int end, BitSet reduced) {
        this.message = message;
        this.start = message.readerIndex();
        this.position = position;
        this.end = Math.min(end, message.readableBytes());
        this.reduced = reduced;
        this.failed = position < 0 || position > this.end;
    }

    /** Octets from the XID to what comes next. */
    int position() {
        return position;
    }

    /** Whether something could not be decoded. */
    boolean failed() {
        return failed;
    }

    /** Gives up: the data is not what it has to be. */
    void fail() {
        failed = true;
    }

    /** The reducible items so far, in their order. */
    List<XdrItem> items() {
        return items;
    }

    /** The word that limits the results; -1 if there was none. */
    long count() {
        return count;
    }

    /** Steps over the word that limits the results, and notes it. */
    void readCount() {
        long word = readUnsigned();
        if (!failed) {
            count = word;
        }
    }

    /** The next word; 0 if there is none. */
    int readInt() {
        if (!has(4)) {
            return 0;
        }
        int value = message.getInt(start + position);
        position += 4;
        return value;
    }

    /** The next word as an unsigned number. */
    long readUnsigned() {
        return readInt() & 0xffff_ffffL;
    }

    /** The next word as a boolean; fails for anything but 0 and 1. */
    boolean readBoolean() {
        int value = readInt();
        if ((value & ~1) != 0) {
            failed = true;
        }
        return value == 1 && !failed;
    }

    void skip(long bytes) {
        if (has(bytes)) {
            position += (int) bytes;
        }
    }

    /** Steps over variable-length opaque data of at most so many octets, length word and padding included. */
    void skipOpaque(long maxBytes) {
        long bytes = readUnsigned();
        if (bytes > maxBytes) {
            failed = true;
        }
        skip(XdrLengths.padded(bytes));
    }

    /** Steps over variable-length opaque data that may be reduced, and notes where its content lies. */
    void skipReducible() {
        long bytes = readUnsigned();
        int content = position;
        if (bytes > Integer.MAX_VALUE) {
            failed = true;
        } else if (!reduced.get(items.size())) {
            skip(XdrLengths.padded(bytes)); // V1-037
        }
        if (!failed) {
            note(new XdrItem(content, (int) bytes)); // V1-032, V1-038
        }
    }

    /** Most cursors meet no such item, so that the list is made for the first one. */
    private void note(XdrItem item) {
        if (items.isEmpty()) {
            items = new ArrayList<>(1);
        }
        items.add(item);
    }

    private boolean has(long bytes) {
        if (bytes > end - position) {
            failed = true;
        }
        return !failed;
    }
}
