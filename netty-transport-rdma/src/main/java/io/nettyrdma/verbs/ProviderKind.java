// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs;

/** The kind of a verbs provider, for programs that want RDMA only over a device. */
public enum ProviderKind {
    /**
     * A device of the kernel, reached through libibverbs: RDMA hardware, or one of the kernel's own software devices
     * {@code siw} and {@code rxe}. This enum cannot distinguish them.
     */
    DEVICE,
    /** Pure Java in this process, over TCP sockets. */
    SOFTWARE,
    /** An unknown provider that the application has put into DiSNI. */
    CUSTOM
}
