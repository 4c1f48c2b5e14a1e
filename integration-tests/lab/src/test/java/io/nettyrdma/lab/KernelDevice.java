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
package io.nettyrdma.lab;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The device of the guest that this JVM runs in, for tests over it. */
final class KernelDevice {

    private KernelDevice() {}

    /** Whether it is iWARP, which has TCP below. */
    static boolean isSiw() {
        return System.getProperty("lab.device", "").equals("siw");
    }

    static InetSocketAddress address(int port) {
        return new InetSocketAddress(LabGuest.GUEST_ADDRESS, port);
    }

    static EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    static void end(EventLoopGroup group) {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
