// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.channel.KernelContracts;
import io.nettyrdma.lab.DeviceGuest.Device;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Load over devices of the kernel for longer than the lab has time for, as many minutes for each as
 * {@code -Dlong.load.minutes} says, 10 unless set and 14 at most: the guest's life is bounded.
 */
@Tag("long")
class KernelDeviceSoakTest {

    @ParameterizedTest
    @EnumSource(Device.class)
    void mixedLoadKeepsMemoryFlat(Device device) throws Exception {
        try (DeviceGuest guest = DeviceGuest.boot(device)) {
            guest.assertPassed(guest.start(
                    KernelContracts.class.getPackageName() + ".LoadOverNativeTest",
                    Long.getLong("long.load.minutes", 10)));
            guest.assertNothingIsLeft();
        }
    }
}
