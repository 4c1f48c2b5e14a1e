// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

/** An agent that loads Netty's classes before ours. */
public final class LoadsNetty {

    private LoadsNetty() {}

    public static void premain(String options) throws ClassNotFoundException {
        Class.forName("io.netty.channel.SingleThreadIoEventLoop");
        Class.forName("io.netty.bootstrap.Bootstrap");
    }
}
