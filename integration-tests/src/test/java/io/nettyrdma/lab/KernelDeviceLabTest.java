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

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.KernelContracts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What channels promise, over devices of the kernel by the provider {@code native}: in a guest of each one's own. */
@Tag("lab")
class KernelDeviceLabTest {

    private static final Duration LIMIT = Duration.ofMinutes(6);

    enum Device {
        SIW("true"),
        RXE("rdma link del siw0 && modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0");

        private final String setUp;

        Device(String setUp) {
            this.setUp = setUp;
        }
    }

    @ParameterizedTest
    @EnumSource(Device.class)
    void channelsKeepTheirPromises(Device device) throws Exception {
        Path java = LabRequirements.requireJavaWithForeignFunctions();
        try (LabGuest guest = LabGuest.boot()) {
            guest.run(device.setUp, Duration.ofSeconds(30)).assertSucceeded();
            String options = String.join(
                    " ",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "-Dio.nettyrdma.provider=native",
                    "-Dtest.address=" + LabGuest.GUEST_ADDRESS,
                    "-Dio.netty.leakDetection.level=paranoid",
                    "-Dconformance.target=/tmp/conformance",
                    "-Djazzer.hooks=false");
            GuestResult result = guest.run(
                    "cd /tmp && ulimit -l unlimited && exec " + java + ' ' + options + " -cp '"
                            + System.getProperty("java.class.path") + "' " + KernelContracts.class.getName(),
                    LIMIT);

            assertThat(result.assertSucceeded().output())
                    .contains("device " + device.name().toLowerCase(Locale.ROOT) + "0 is there")
                    .containsPattern("[1-9][0-9]+ passed, [0-9]+ not for this device, 0 failed");
        }
    }
}
