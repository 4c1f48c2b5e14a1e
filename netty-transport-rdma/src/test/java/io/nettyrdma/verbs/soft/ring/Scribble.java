// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import java.nio.ByteBuffer;

/** Writes anything anywhere into memory that is shared. */
public final class Scribble {

    private static final int[] WORDS = {Ring.WRITTEN_AT, Ring.READ_AT, Ring.READER_SLEEPS_AT, Ring.WRITER_WAITS_AT};

    private Scribble() {}

    /** Adds to one of the eight words of control. */
    public static void word(SharedFile file, int which, long difference) {
        ByteBuffer octets = file.mapping.octets;
        int at = WORDS[which & 3] + (which >> 2 & 1) * Ring.BYTES;
        octets.putLong(at, octets.getLong(at) + difference);
    }

    /** Writes four octets at any place. */
    public static void octets(SharedFile file, int at, int value) {
        file.mapping.octets.putInt((at & Integer.MAX_VALUE) % (SharedFile.BYTES - 3), value);
    }
}
