// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

/** {@link KernelDeviceContract} of rxe, RoCE over the kernel's UDP. */
class KernelDeviceRxeLabTest extends KernelDeviceContract {

    KernelDeviceRxeLabTest() {
        super(DeviceGuest.Device.RXE);
    }
}
