package io.nettyrdma.rpc.wire;

/** Checks for 32-bit unsigned numbers that travel as {@code long}. */
final class Unsigned {

    private static final long MAX_INT = 0xffff_ffffL;

    private Unsigned() {}

    static void requireInt(long value, String what) {
        if (value < 0 || value > MAX_INT) {
            throw new IllegalArgumentException(what + " must be 0 to 4294967295, is " + value);
        }
    }
}
