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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Server and client in one process, over a real socket on the loopback interface. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Runs nfs-null and rpcping in one process over a loopback socket and prints every message.")
final class DemoCommand implements Callable<Integer> {

    private static final long TIMEOUT_SECONDS = 30;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RdmaVersionOption rdmaVersion;

    @Option(
            names = {"-c", "--count"},
            defaultValue = "8",
            description = "NULL calls to measure, after the first few (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int count;

    @Option(
            names = {"-f", "--in-flight"},
            defaultValue = "4",
            description = "unanswered calls at a time (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int inFlight;

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

    /** Prints each message once, where it has arrived. */
    private record WireLog(String direction, Consumer<String> log) implements RpcRdmaListener {

        @Override
        public void onSent(Channel channel, RpcRdmaSummary message) {}

        @Override
        public void onReceived(Channel channel, RpcRdmaSummary message) {
            log.accept(direction + "  " + message);
        }
    }

    @Override
    public Integer call() throws Exception {
        // A device does not serve the loopback address, and this is to work on machines that have one, too.
        if (System.getProperty(Rdma.PROVIDER_PROPERTY) == null) {
            System.setProperty(Rdma.PROVIDER_PROPERTY, "soft");
        }
        Consumer<String> log = Lines.to(spec.commandLine().getOut());
        log.accept(Rdma.report());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        try {
            run(group, log);
        } finally {
            group.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).sync();
        }
        log.accept("demo: ok");
        return 0;
    }

    private RpcRdmaConfig config(String direction, Consumer<String> log) {
        RpcRdmaConfig.Builder config = RpcRdmaConfig.builder().listener(new WireLog(direction, log));
        rdmaVersion.applyTo(config);
        return config.build();
    }

    private void run(EventLoopGroup group, Consumer<String> log) throws Exception {
        Channel listener = GuardedNfsNull.start(
                        group,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        config("rpcping  -> nfs-null", log),
                        line -> log.accept("nfs-null: " + line))
                .sync()
                .channel();
        log.accept("nfs-null listens on " + listener.localAddress());

        InetSocketAddress server = (InetSocketAddress) listener.localAddress();
        RpcRdmaConfig config = config("nfs-null -> rpcping ", log);
        RpcClient client = RpcClient.connect(group, server, config);
        RpcCalls calls = new RpcCalls(client, server, config);
        for (Probe probe : PROBES) {
            int status =
                    calls.call(probe.program, probe.version, probe.procedure).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            log.accept("-- " + probe.what + ": " + AcceptStatus.name(status));
            if (status != probe.expected) {
                throw new IOException(probe.what + ": expected " + AcceptStatus.name(probe.expected));
            }
        }
        Progress progress = new Progress("rpcping", count, spec.commandLine().getErr());
        Pinger.run(
                        client.channel().eventLoop(),
                        () -> calls.ping(RpcPrograms.NFS, 3),
                        count,
                        inFlight,
                        progress::onAnswer)
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        log.accept("-- " + progress.summary());
        client.channel().close().sync();
    }
}
