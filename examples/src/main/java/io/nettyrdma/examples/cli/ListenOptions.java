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
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.AcceptLimit;
import io.nettyrdma.examples.guard.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine.Option;

/** Where a server listens. */
final class ListenOptions {

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "address to listen on (default: ${DEFAULT-VALUE}; 0.0.0.0 for all)")
    private String bind;

    @Option(
            names = AcceptLimit.OPTION,
            paramLabel = "COUNT",
            defaultValue = "" + AcceptLimit.DEFAULT_CONNECTIONS,
            description =
                    "connections at a time, further ones are refused (default: ${DEFAULT-VALUE}); one whose client has"
                            + " vanished ends after two minutes, with RDMA devices when the device says so")
    @InRange(from = 1)
    private int maxConnections;

    int maxConnections() {
        return maxConnections;
    }

    String bind() {
        return bind;
    }

    InetSocketAddress address(int port) throws IOException {
        return Addresses.resolveOwn(bind, port);
    }
}
