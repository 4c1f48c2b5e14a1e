// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import org.jspecify.annotations.Nullable;

/** What an object is: {@code ftype3} (RFC 1813, section 2.6), in the order of the numbers, which begin with 1. */
public enum FileType {
    /** {@code NF3REG}. */
    REGULAR,
    /** {@code NF3DIR}. */
    DIRECTORY,
    /** {@code NF3BLK}. */
    BLOCK_DEVICE,
    /** {@code NF3CHR}. */
    CHARACTER_DEVICE,
    /** {@code NF3LNK}. */
    SYMBOLIC_LINK,
    /** {@code NF3SOCK}. */
    SOCKET,
    /** {@code NF3FIFO}. */
    NAMED_PIPE;

    private static final FileType[] ALL = values();

    /** The number on the wire. */
    public int number() {
        return ordinal() + 1;
    }

    /** The type of a number, if there is one. */
    public static @Nullable FileType of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
    }
}
