// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.cli.Examples;
import io.nettyrdma.lab.DeviceGuest.Device;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The doctor examines a machine with a device of the kernel, a guest of its own. */
@Tag("lab")
class DoctorLabTest {

    /** Of the doctor, for whose proofs a machine needs seconds, and an emulator minutes. */
    private static final int SECONDS = 1200;

    @ParameterizedTest
    @EnumSource(Device.class)
    void deviceIsProvedBesideTheSoftwareProviderAndTcp(Device device) throws Exception {
        Path java = LabRequirements.requireJavaWithForeignFunctions();
        try (DeviceGuest guest = DeviceGuest.boot(device)) {
            GuestResult result = guest.guest()
                    .run(
                            "cd /tmp && ulimit -l unlimited && " + java
                                    + " -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '"
                                    + System.getProperty("java.class.path") + "' " + Examples.class.getName()
                                    + " doctor --seconds=" + SECONDS + " && cp rdma-doctor.txt "
                                    + LabGuest.SHARE_IN_GUEST,
                            Duration.ofSeconds(SECONDS + 300))
                    .assertSucceeded();

            List<String> lines = result.output().lines().toList();
            System.out.println(result.output());
            int verdict = lines.indexOf("== verdict");
            assertThat(lines.get(verdict + 1)).isEqualTo("works");
            String name = device.name().toLowerCase(Locale.ROOT) + '0';
            assertThat(lines.subList(lines.indexOf("== proof of provider native, device " + name), verdict))
                    .filteredOn(line -> !line.startsWith("== "))
                    .hasSize(11 + 11 + 4)
                    .allMatch(line -> line.startsWith("ok      "));
            assertThat(result.output()).doesNotContain(LabGuest.GUEST_ADDRESS);
            guest.assertNothingIsLeft();
        }
    }
}
