// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.leaks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes a leaked buffer fail the class of tests after which it was found, which is the one that leaked it unless its
 * threads ran on. JUnit finds this extension by itself, here and in modules that have the tests of this one on their
 * class path.
 */
public final class NoLeaks implements AfterAllCallback {

    static {
        LeakRecorder.install(); // before the first buffer makes its detector
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        assertNoLeaks();
    }

    /** The same for tests of another framework, to be called after them. It works once this class is initialized. */
    public static void assertNoLeaks() throws InterruptedException {
        assertThat(LeakRecorder.takeLeaks()).as("leaks").isEmpty();
    }
}
