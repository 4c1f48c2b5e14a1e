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
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvPd;
import io.nettyrdma.verbs.soft.rdmap.ProtectionDomain;
import java.io.IOException;

/**
 * A protection domain: memory and queue pairs that may meet.
 *
 * <p>Threading: any thread.
 */
final class SoftPd extends IbvPd {

    private final SoftDevice device;
    private final ProtectionDomain domain = new ProtectionDomain();

    SoftPd(SoftContext context) throws IOException {
        super(context);
        device = context.device();
        handle = device.nextHandle();
    }

    SoftDevice device() {
        return device;
    }

    /** What is in it, which keeps it from being deallocated. */
    ProtectionDomain domain() {
        return domain;
    }
}
