// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

/** {@link KernelDeviceContract} of siw, iWARP over the kernel's TCP. */
class KernelDeviceSiwLabTest extends KernelDeviceContract {

    KernelDeviceSiwLabTest() {
        super(DeviceGuest.Device.SIW);
    }
}
