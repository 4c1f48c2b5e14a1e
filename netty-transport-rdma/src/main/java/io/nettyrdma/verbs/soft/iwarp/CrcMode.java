// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

/**
 * When the CRC of FPDUs is used. It is used for both directions if either side asks for it (RFC 5044, section 7.1.1).
 */
public enum CrcMode {
    /** Initiators ask for it, responders use it if asked. */
    PREFER,
    /** Both roles ask for it. */
    REQUIRE,
    /** Neither role asks for it, and a peer that does is refused. */
    NEVER
}
