// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.EnhancedData;

/** What the tests of connecting and accepting start from. */
final class Startups {

    static final EnhancedData DEPTHS = EnhancedData.clientServer(4, 4);

    static SoftProviderConfig config() {
        return SoftProviderConfig.builder().sameHost(false).build();
    }

    static byte[] data(int bytes) {
        byte[] d = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            d[i] = (byte) (i + 1);
        }
        return d;
    }

    private Startups() {}
}
