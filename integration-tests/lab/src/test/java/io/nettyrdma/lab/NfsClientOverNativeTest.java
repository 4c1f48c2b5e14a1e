// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.NfsLocation;
import io.nettyrdma.examples.nfs.client.NfsSession;
import io.nettyrdma.examples.nfs.client.NfsSettings;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.rpcping.Pinger;
import io.nettyrdma.examples.rpcping.RpcClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's NFS server as a responder, and what {@code rpcping}, {@code nfs-put} and {@code nfs-get} do. */
@Tag("native")
@Order(2)
class NfsClientOverNativeTest {

    private static final int NFS = 100_003;
    private static final int NFS_RDMA_PORT = 20_049;
    private static final int MOUNT_PORT = 20_048;
    private static final int PORTMAPPER_PORT = 111;
    private static final String DIRECTORY = "/export/native";
    private static final int CALLS = 500;
    /** What the kernel's server grants. */
    private static final int GRANTED = 64;

    private static final int FILE_BYTES = (3 << 20) + 13;
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    Path dir;

    private final MessageRecord messages = new MessageRecord();
    private EventLoopGroup group;

    @BeforeEach
    void start() throws Exception {
        GuestShell.run("lab_nfsd /export && mkdir -p " + DIRECTORY, LIMIT).assertSucceeded();
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() throws Exception {
        KernelDevice.end(group);
        GuestShell.run("rm -rf " + DIRECTORY, LIMIT).assertSucceeded();
    }

    private void ping(RpcRdmaConfig.Builder config) throws Exception {
        RpcClient client = RpcClient.connect(
                group,
                KernelDevice.address(NFS_RDMA_PORT),
                config.maxCallsWaiting(2 * GRANTED)
                        .callTimeout(LIMIT)
                        .listener(messages)
                        .build());
        Pinger.run(client.channel().eventLoop(), () -> client.call(NFS, 3, 0), CALLS, 2 * GRANTED, nanos -> {})
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        client.channel().close().sync();
        assertThat(messages.received).hasSize(CALLS);
        assertThat(messages.rejected).isEmpty();
    }

    @Test
    void kernelAnswersMoreCallsAtATimeThanItGrants() throws Exception {
        ping(RpcRdmaConfig.builder());
        assertThat(messages.lastReceived().credits()).isEqualTo(GRANTED);
    }

    @Test
    void kernelAnswersARequesterThatSaysNothingOfItself() throws Exception {
        ping(RpcRdmaConfig.builder().withoutPrivateData());
    }

    @Test
    void fileIsCopiedThereAndBack() throws Exception {
        byte[] octets = new byte[FILE_BYTES];
        new Random(5).nextBytes(octets);
        Path source = Files.write(dir.resolve("source"), octets);
        Path copy = dir.resolve("copy");
        NfsLocation location = NfsLocation.parse(LabGuest.GUEST_ADDRESS + ":" + DIRECTORY + "/copy", null);
        NfsSettings settings = new NfsSettings(
                NFS_RDMA_PORT, PORTMAPPER_PORT, MOUNT_PORT, false, new AuthSys(0, 0, "lab"), LIMIT, 1 << 20, 4, 1, 1);
        CopyListener nobody = new CopyListener() {
            @Override
            public void onStarted(long totalBytes) {}

            @Override
            public void onCopied(long bytes) {}
        };
        try (NfsSession session = NfsSession.open(location, settings)) {
            session.upload(source, nobody);
        }
        GuestShell.run("cmp " + source + " " + DIRECTORY + "/copy", LIMIT).assertSucceeded();
        try (NfsSession session = NfsSession.open(location, settings)) {
            session.download(copy, nobody);
        }
        assertThat(copy).hasSameBinaryContentAs(source);
    }
}
