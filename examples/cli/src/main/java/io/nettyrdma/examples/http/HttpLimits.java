// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.nettyrdma.examples.guard.ReplyProgress;

/**
 * Limits of what one client can make the server do and hold.
 *
 * @param headSeconds    time from the first byte of a request to the end of its headers, HTTP/1.1
 * @param bodySeconds    time from the end of the headers to the end of the request
 * @param stallSeconds   lag of a client in taking a response, as {@link ReplyProgress} measures it
 * @param lineBytes      longest request line, HTTP/1.1
 * @param headerBytes    longest headers of one request in all
 * @param bodyBytes      longest body that is sent back
 * @param allBodiesBytes bodies of all connections that the server holds at a time
 * @param streams        concurrent requests of a connection, HTTP/2
 */
record HttpLimits(
        int headSeconds,
        int bodySeconds,
        int stallSeconds,
        int lineBytes,
        int headerBytes,
        int bodyBytes,
        long allBodiesBytes,
        int streams) {

    private static final int KIBIBYTE = 1024;
    private static final int MEBIBYTE = KIBIBYTE * KIBIBYTE;

    static final HttpLimits DEFAULT =
            new HttpLimits(10, 60, 30, 4 * KIBIBYTE, 16 * KIBIBYTE, 16 * MEBIBYTE, 64L * MEBIBYTE, 100);
}
