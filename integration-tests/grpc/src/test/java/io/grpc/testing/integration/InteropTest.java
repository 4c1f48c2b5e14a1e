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
package io.grpc.testing.integration;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import org.junit.runner.RunWith;
import org.junit.runners.JUnit4;

/** In clear text, by the server's address. */
@RunWith(JUnit4.class)
public final class InteropTest extends InteropOverTransport {

    @Override
    NettyServerBuilder secure(NettyServerBuilder builder) {
        return builder;
    }

    @Override
    NettyChannelBuilder newClient(InetSocketAddress server) {
        return NettyChannelBuilder.forAddress(server).usePlaintext();
    }
}
