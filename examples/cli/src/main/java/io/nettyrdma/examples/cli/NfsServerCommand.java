// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.server.NfsServer;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** An NFS server for the Linux kernel to mount. */
@Command(
        name = "nfs-server",
        description = {
            "Serves a directory read-write with NFS version 3 over RDMA. Stop it with Ctrl-C.",
            "The server acts as the user who runs it, for all clients: listen where only trusted clients can connect."
        })
final class NfsServerCommand extends Program {

    private static final long REPORT_SECONDS = 10;

    @Option(names = "--export", paramLabel = "DIR", required = true, description = "the directory to serve")
    private Path export;

    @Mixin
    private final ListenOptions listen = new ListenOptions(RpcPrograms.NFS_RDMA_PORT);

    @Option(
            names = "--mount-port",
            paramLabel = "PORT",
            defaultValue = "" + RpcPrograms.MOUNT_PORT,
            description = "TCP port of MOUNT, which does not run over RDMA (default: ${DEFAULT-VALUE})")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private int mountPort;

    @Option(
            names = "--workers",
            paramLabel = "COUNT",
            defaultValue = "8",
            description = "threads that read and write files (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int workers;

    @Mixin
    private RdmaVersionOption rdmaVersion;

    @Mixin
    private MetricsOption metrics;

    @Mixin
    private LogOptions logOptions;

    @Option(names = "--allow-root", description = "serve as root: every client then acts as root in the directory")
    private boolean allowRoot;

    @Option(
            names = {"-q", "--quiet"},
            description = "print errors only")
    private boolean quiet;

    @Override
    void run() throws Exception {
        if (!Files.isDirectory(export)) {
            throw wrong("--export " + export + " is not a directory");
        }
        if (AuthSys.ownUid() == 0 && !allowRoot) {
            throw wrong("all clients would act as root: run this as another user (setpriv --reuid=USER --regid=GROUP"
                    + " --init-groups examples/run nfs-server ...), or give --allow-root");
        }
        Consumer<String> log = quiet ? line -> {} : this::print;
        log.accept(Rdma.report());
        PeerLog clients = quiet ? new PeerLog(line -> {}) : logOptions.to(this);
        RpcRdmaConfig.Builder config = RpcRdmaConfig.builder();
        rdmaVersion.applyTo(config);
        NfsServer.Options options =
                new NfsServer.Options(export, listen.bind(), listen.port(), mountPort, workers, listen.limits());
        endCleanly(() -> {
            try (MetricsPage page = metrics.open(clients, this);
                    NfsServer server = NfsServer.start(options, metered(config, page), clients)) {
                greet(server, log);
                if (page != null) {
                    log.accept("meters: " + page.location());
                }
                report(server, log);
            }
        });
    }

    /** Until Ctrl-C. */
    private static void report(NfsServer server, Consumer<String> log) {
        String last = server.summary();
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(REPORT_SECONDS);
                String now = server.summary();
                if (!now.equals(last)) {
                    log.accept(now);
                    last = now;
                }
            }
        } catch (InterruptedException e) {
            log.accept("stopping: " + server.summary());
        }
    }

    private static RpcRdmaConfig metered(RpcRdmaConfig.Builder config, @Nullable MetricsPage page) {
        return page == null ? config.build() : config.listener(page.listener()).build();
    }

    private void greet(NfsServer server, Consumer<String> log) throws Exception {
        log.accept("serving " + export.toRealPath() + " on " + server.rdmaAddress());
        String bind = listen.bind();
        String host = bind.equals("0.0.0.0") ? "SERVER" : bind.contains(":") ? "[" + bind + "]" : bind;
        log.accept("  mount -t nfs -o vers=3,proto=rdma,port="
                + server.rdmaAddress().getPort() + ",mountproto=tcp,mountport="
                + server.mountAddress().getPort() + ",nolock,noacl " + host + ":/ /mnt");
    }
}
