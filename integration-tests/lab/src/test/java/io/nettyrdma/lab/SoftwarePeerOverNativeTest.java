// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * This project over siw, and over the software provider in the JVM of the host, in both roles; the host's half is in
 * {@link KernelDeviceContract}. The software provider speaks iWARP, so there is nothing of that over rxe.
 */
@Tag("native")
class SoftwarePeerOverNativeTest {

    static final int ROUNDS = 50;
    static final int BYTES = 60_000;
    /** Where this half listens, and where the other does, of the host's 127.0.0.1, by system property. */
    static final int GUEST_PORT = 7190;

    /** What this half prints then. */
    static final String LISTENS = "the software provider may connect";

    static final String HOST_PORT = "lab.software.port";
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        assumeTrue(KernelDevice.isSiw(), "needs iWARP");
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() {
        if (group != null) {
            KernelDevice.end(group);
        }
    }

    @Test
    void pingsTheSoftwareProvider() throws Exception {
        RpingClient client = new RpingClient(BYTES, ROUNDS);
        client.connect(group, new InetSocketAddress(LabGuest.HOST_ADDRESS, Integer.getInteger(HOST_PORT)))
                .sync();
        client.awaitRounds(ROUNDS, LIMIT);
    }

    @Test
    void isPingedByTheSoftwareProvider() throws Exception {
        RpingServer server = new RpingServer(BYTES);
        server.listen(group, KernelDevice.address(GUEST_PORT)).sync();
        System.out.println(LISTENS);
        server.awaitRounds(ROUNDS, LIMIT);
    }
}
