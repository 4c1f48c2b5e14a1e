// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.internal.CapturedLog;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A software provider beside the installed one, whose waits on sockets last until the test says that their time has
 * passed: what takes half a minute is over at once, and nothing is over early because a machine is slow.
 *
 * <p>Threading: any thread. A loop that blocks does not see the time pass; give it something to do.
 */
public final class ClockedProvider {

    // So that a comparison which forgets that the clock may wrap is found.
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final SoftProvider provider;
    /** What peers made it write. */
    public final CapturedLog log = new CapturedLog();

    /** A provider with these limits. */
    public ClockedProvider(SoftProviderConfig config) {
        InstalledProvider.ensure();
        provider = new SoftProvider(config, nanos::get, type -> log.log());
    }

    /** The provider. */
    public SoftProvider provider() {
        return provider;
    }

    /** Lets time pass. */
    public void pass(long passedNanos) {
        nanos.addAndGet(passedNanos);
    }
}
