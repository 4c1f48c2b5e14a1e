// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
