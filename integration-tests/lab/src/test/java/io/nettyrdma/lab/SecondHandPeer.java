// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * {@code v2peer}, a second implementation of version 2.
 *
 * @param program where it was made
 */
record SecondHandPeer(Path program) {

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int GUEST_PORT = 20_050;

    static SecondHandPeer make(Path directory) throws Exception {
        LabRequirements.requireVerbsHeaders();
        Path source = LabRequirements.moduleDir().resolve("v2peer");
        HostProgram.run(LIMIT, "make", "-C", source.toString(), "OUT=" + directory);
        return new SecondHandPeer(directory.resolve("v2peer"));
    }

    /** Has it serve one connection. */
    GuestCommand serve(LabGuest guest, String options) throws Exception {
        GuestCommand serving =
                guest.start("exec " + program + " --listen " + GUEST_PORT + " --connections 1 " + options, LIMIT);
        guest.run("lab_await_listening " + GUEST_PORT + " " + Deadline.SECONDS, LIMIT)
                .assertSucceeded();
        return serving;
    }

    /** Connects to the one that serves. */
    static Channel connect(EventLoopGroup group, LabGuest guest, ChannelHandler... handlers) throws Exception {
        return new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handlers);
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), guest.forward(GUEST_PORT))
                .sync()
                .channel();
    }
}
