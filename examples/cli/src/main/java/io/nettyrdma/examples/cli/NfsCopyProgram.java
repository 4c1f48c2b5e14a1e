// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.NfsLocation;
import io.nettyrdma.examples.nfs.client.NfsSession;
import io.nettyrdma.examples.nfs.client.NfsSettings;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What copying in the two directions has in common: a session, a display and a clean end. */
abstract class NfsCopyProgram extends Program {

    private static final int MAX_TRANSFER_BYTES = 8 << 20;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "" + RpcPrograms.NFS_RDMA_PORT,
            description = "port of NFS over RDMA (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = InRange.MAX_PORT)
    private int port;

    @Option(
            names = "--mount-port",
            description = "TCP port of the mount daemon (default: the one that the portmapper names, or else "
                    + RpcPrograms.MOUNT_PORT + ")")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private int mountPort;

    @Option(
            names = "--reserved-port",
            description =
                    "call the mount daemon from a port below 1024, which it requires for exports without \"insecure\";"
                            + " takes root")
    private boolean reservedPort;

    @Option(
            names = {"-s", "--size"},
            defaultValue = "1048576",
            description = "bytes per READ or WRITE, unless the server prefers fewer (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = MAX_TRANSFER_BYTES)
    private int transferBytes;

    @Option(
            names = {"-f", "--in-flight"},
            defaultValue = "8",
            description = "READs or WRITEs at a time (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = 1024)
    private int inFlight;

    @Mixin
    private RdmaVersionOption rdmaVersion;

    @Option(names = "--uid", description = "user number to claim (default: this user's)")
    private @Nullable Integer uid;

    @Option(names = "--gid", description = "group number to claim (default: this user's)")
    private @Nullable Integer gid;

    @Option(
            names = "--timeout",
            defaultValue = "60",
            paramLabel = "SECONDS",
            description = "longest time for each connect and each call (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = 3600)
    private int timeoutSeconds;

    @Option(
            names = {"-q", "--quiet"},
            description = "print errors only")
    private boolean quiet;

    abstract void copy(NfsSession session, NfsLocation location, CopyListener listener)
            throws IOException, InterruptedException;

    /** The location that a user has given. */
    NfsLocation location(String text, @Nullable String nameInDirectory) {
        try {
            return NfsLocation.parse(text, nameInDirectory);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    void copy(NfsLocation location) throws Exception {
        CopyProgress progress =
                new CopyProgress(location.name(), spec.commandLine().getErr(), Ansi.AUTO.enabled(), System::nanoTime);
        endCleanly(() -> {
            try (NfsSession session = NfsSession.open(location, settings())) {
                copy(session, location, quiet ? CopyListener.NONE : progress);
            } finally {
                progress.end();
            }
        });
        if (!quiet) {
            spec.commandLine().getErr().println(progress.summary()); // the file itself may go to the standard output
            spec.commandLine().getErr().flush();
        }
    }

    private NfsSettings settings() {
        return new NfsSettings(
                port,
                RpcPrograms.PORTMAPPER_PORT,
                mountPort,
                reservedPort,
                new AuthSys(uid == null ? AuthSys.ownUid() : uid, gid == null ? AuthSys.ownGid() : gid, machine()),
                Duration.ofSeconds(timeoutSeconds),
                transferBytes,
                inFlight,
                rdmaVersion.lowest(),
                rdmaVersion.highest());
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
