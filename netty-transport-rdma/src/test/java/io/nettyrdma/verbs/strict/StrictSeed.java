// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Begins each test with the seed of the shared device, and prints after a failure how to get the same choices again.
 */
public class StrictSeed implements BeforeEachCallback, TestWatcher {

    @Override
    public void beforeEach(ExtensionContext context) {
        StrictDevice.shared().restart();
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        System.err.println(context.getDisplayName() + " failed with " + StrictDevice.shared());
    }
}
