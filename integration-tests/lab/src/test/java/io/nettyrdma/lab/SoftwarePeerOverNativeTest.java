/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
