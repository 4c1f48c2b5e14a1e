// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MountClientTest {

    private final MemoryMountDaemon daemon = new MemoryMountDaemon("/export");
    private EventLoopGroup group;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        address = (InetSocketAddress) daemon.start(group).localAddress();
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private MountClient client(Duration timeout) {
        return new MountClient(new AuthSys(0, 0, "test"), timeout, false);
    }

    private MountClient client() {
        return client(Deadline.DURATION);
    }

    @Test
    void portmapperTellsThePort() throws Exception {
        try (MountClient client = client()) {
            assertThat(client.mountPort(address)).isEqualTo(address.getPort());
        }
    }

    @Test
    void unknownProgramIsNoPort() {
        daemon.portTold = 0;
        try (MountClient client = client()) {
            assertThatThrownBy(() -> client.mountPort(address))
                    .hasMessageEndingWith("knows no mount daemon of version 3 over TCP");
        }
    }

    @Test
    void exportHasAHandle() throws Exception {
        try (MountClient client = client()) {
            assertThat(client.mount(address, "/export")).hasToString("726f6f7421");
            client.unmount(address, "/export");
        }
        assertThat(daemon.requests).containsExactly("MNT /export", "UMNT /export");
    }

    @Test
    void refusalHasItsName() {
        try (MountClient client = client()) {
            assertThatThrownBy(() -> client.mount(address, "/other"))
                    .isInstanceOf(Nfs3Exception.class)
                    .hasMessage("MNT of /other: MNT3ERR_ACCES (permission denied)");
        }
    }

    @Test
    void failedCallHasItsStatus() {
        daemon.status = RpcHeaders.PROG_UNAVAIL;
        try (MountClient client = client()) {
            assertThatThrownBy(() -> client.mount(address, "/export"))
                    .hasMessage("MNT of /export was answered with PROG_UNAVAIL");
        }
    }

    @Test
    void silenceEndsWithTheTimeout() {
        daemon.silent = true;
        try (MountClient client = client(Duration.ofMillis(50))) {
            assertThatThrownBy(() -> client.mount(address, "/export"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no answer from")
                    .hasMessageContaining(String.valueOf(address.getPort()));
        }
    }

    @Test
    void hangingUpIsAnErrorThatSaysWho() {
        daemon.hangsUp = true;
        try (MountClient client = client()) {
            assertThatThrownBy(() -> client.mount(address, "/export")).hasMessageContaining("closed the connection");
        }
    }

    @Test
    void nobodyListeningIsAnErrorThatSaysWhere() throws IOException {
        // Bound and not listening: nobody else can take the port meanwhile, nor can the connection meet itself there.
        try (Socket taken = new Socket();
                MountClient client = client()) {
            taken.bind(new InetSocketAddress(address.getAddress(), 0));
            InetSocketAddress nobody = (InetSocketAddress) taken.getLocalSocketAddress();
            assertThatThrownBy(() -> client.mount(nobody, "/export"))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining(String.valueOf(nobody.getPort()));
        }
    }
}
