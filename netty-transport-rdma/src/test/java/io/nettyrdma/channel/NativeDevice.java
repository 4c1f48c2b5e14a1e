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
package io.nettyrdma.channel;

import java.io.File;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/** Devices of the kernel that need no hardware. */
enum NativeDevice {
    /** iWARP over the kernel's TCP. */
    SIW,
    /** RoCE over the kernel's UDP. */
    RXE;

    /** The name of the one there is. */
    static String presentName() {
        return Objects.requireNonNull(new File("/sys/class/infiniband").list())[0];
    }

    /** The one there is, by the name that its maker gave it. */
    static NativeDevice present() {
        String name = presentName();
        return Arrays.stream(values())
                .filter(device -> name.startsWith(device.name().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("neither siw nor rxe: " + name));
    }
}
