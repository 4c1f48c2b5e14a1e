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
