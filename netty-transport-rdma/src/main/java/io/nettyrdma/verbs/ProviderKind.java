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
