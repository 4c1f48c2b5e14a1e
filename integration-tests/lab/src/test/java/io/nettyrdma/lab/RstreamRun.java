// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.util.Locale;

/**
 * One custom run of {@code rstream} of librdmacm. It has one connection and this exchange:
 *
 * <ol>
 *   <li>the client sends 16 bytes, then the server does
 *   <li>in each iteration, the client sends {@code count} transfers of {@code size} bytes, then the server does
 *   <li>both sides close the connection
 * </ol>
 *
 * <p>With {@code -T v}, the bytes of each direction, including the first 16, count from 0 to 255 again and again, and
 * {@code rstream} compares what it receives. Without it, their values are undefined.
 *
 * <p>The default run of {@code rstream} in librdmacm 44 has a second connection, which that version cannot make over
 * iWARP.
 *
 * @param calls       how {@code rstream} calls rsockets
 * @param verifies    whether it has {@code -T v}
 * @param size        bytes of a transfer
 * @param count       transfers that a side sends before the other one does
 * @param iterations  exchanges after the first 16 bytes
 * @param bufferBytes {@code -B}: half of its receive ring and of its send buffer; 0 for its default of 512 KiB
 */
record RstreamRun(Calls calls, boolean verifies, int size, int count, int iterations, int bufferBytes) {

    /** How {@code rstream} calls rsockets. */
    enum Calls {
        /** Calls that wait. */
        BLOCKING,
        /** Calls that do not wait, in a loop. */
        NONBLOCKING,
        /** Calls that do not wait, each after a call of {@code rpoll}. */
        ASYNC;

        private String option() {
            return name().substring(0, 1).toLowerCase(Locale.ROOT);
        }
    }

    private static final int FIRST_BYTES = 16;

    /** A run that verifies, with the default buffers. */
    static RstreamRun verified(Calls calls, int size, int count, int iterations) {
        return new RstreamRun(calls, true, size, count, iterations, 0);
    }

    RstreamRun unverified() {
        return new RstreamRun(calls, false, size, count, iterations, bufferBytes);
    }

    RstreamRun withBuffers(int bytes) {
        return new RstreamRun(calls, verifies, size, count, iterations, bytes);
    }

    /** Returns the bytes that each side sends in an exchange, the first of which is number 0. */
    int bytesOfExchange(int exchange) {
        return exchange == 0 ? FIRST_BYTES : count * size;
    }

    /** Returns the bytes that each side sends in one write of an exchange. */
    int bytesOfWrite(int exchange) {
        return exchange == 0 ? FIRST_BYTES : size;
    }

    /** Returns the exchanges, including the first one of 16 bytes. */
    int exchanges() {
        return 1 + iterations;
    }

    /** Returns the bytes that each side sends. */
    long bytesOfSide() {
        return FIRST_BYTES + (long) iterations * count * size;
    }

    /** Returns the options of {@code rstream}, without those of addresses. */
    String options() {
        return "-T %s%s -S %d -C %d -I %d%s"
                .formatted(
                        calls.option(),
                        verifies ? " -T v" : "",
                        size,
                        count,
                        iterations,
                        bufferBytes == 0 ? "" : " -B " + bufferBytes);
    }
}
