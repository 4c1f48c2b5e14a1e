/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc;

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
