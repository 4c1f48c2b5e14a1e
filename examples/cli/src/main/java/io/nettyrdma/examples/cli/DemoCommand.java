// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.nfs.protocol.AcceptStatus;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.rpcping.Pinger;
import io.nettyrdma.examples.rpcping.RpcClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Server and client in one process, over a real socket on the loopback interface. */
@Command(
        name = "demo",
        description = "Runs nfs-null and rpcping in one process over a loopback socket and prints every message.")
final class DemoCommand extends Program {

    private static final long TIMEOUT_SECONDS = 30;
    private static final int COUNT = 8;
    private static final int IN_FLIGHT = 4;

    @Mixin
    private RdmaVersionOption rdmaVersion;

    /** A call whose answer is known. */
    private record Probe(int program, int version, int procedure, int expected, String what) {}

    private static final Probe[] PROBES = {
        new Probe(RpcPrograms.NFS, 2, 0, RpcHeaders.SUCCESS, "NULL of NFS version 2"),
        new Probe(RpcPrograms.NFS, 3, 0, RpcHeaders.SUCCESS, "NULL of NFS version 3"),
        new Probe(RpcPrograms.NFS, 4, 0, RpcHeaders.SUCCESS, "NULL of NFS version 4"),
        new Probe(RpcPrograms.NFS, 5, 0, RpcHeaders.PROG_MISMATCH, "NFS version 5, which does not exist"),
        new Probe(RpcPrograms.NFS, 3, 1, RpcHeaders.PROC_UNAVAIL, "GETATTR of NFS version 3"),
        new Probe(RpcPrograms.MOUNT, 3, 0, RpcHeaders.PROG_UNAVAIL, "NULL of the MOUNT program"),
    };

    @Override
    void run() throws Exception {
        preferSoftware();
        print(Rdma.report());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        try {
            run(group);
        } finally {
            group.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).sync();
        }
        print("demo: ok");
    }

    private RpcRdmaConfig config(String direction) {
        RpcRdmaConfig.Builder config = RpcRdmaConfig.builder().listener(new RpcRdmaListener() {
            @Override
            public void onSent(Channel channel, RpcRdmaSummary message) {} // printed once, where it has arrived

            @Override
            public void onReceived(Channel channel, RpcRdmaSummary message) {
                print(direction + "  " + message);
            }
        });
        rdmaVersion.applyTo(config);
        return config.build();
    }

    private void run(EventLoopGroup group) throws Exception {
        Channel listener = GuardedNfsNull.start(
                        group,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        config("rpcping  -> nfs-null"),
                        line -> print("nfs-null: " + line))
                .sync()
                .channel();
        print("nfs-null listens on " + listener.localAddress());

        InetSocketAddress server = (InetSocketAddress) listener.localAddress();
        RpcRdmaConfig config = config("nfs-null -> rpcping ");
        RpcClient client = RpcClient.connect(group, server, config);
        RpcCalls calls = new RpcCalls(client, server, config);
        for (Probe probe : PROBES) {
            calls.call(probe.program, probe.version, probe.procedure, probe.expected)
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            print("-- " + probe.what + ": " + AcceptStatus.name(probe.expected));
        }
        Progress progress = new Progress("rpcping", COUNT, spec.commandLine().getErr());
        Pinger.run(
                        client.channel().eventLoop(),
                        () -> calls.call(RpcPrograms.NFS, 3, 0, RpcHeaders.SUCCESS),
                        COUNT,
                        IN_FLIGHT,
                        progress::onAnswer)
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        print("-- " + progress.summary());
        client.channel().close().sync();
    }
}
