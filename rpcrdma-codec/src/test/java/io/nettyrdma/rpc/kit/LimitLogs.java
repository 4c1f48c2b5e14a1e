// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Declares what handlers warn of when a limit is hit or a reply matches no call, which tests of other things provoke.
 * So many of these lines are written within a second in the whole JVM, so no test can tell whether one of its own is
 * among them; those that are about them give their configuration a log. JUnit finds this extension by itself.
 */
public final class LimitLogs implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        Logs.allow(RpcRdmaObserver.class.getName(), "");
    }
}
