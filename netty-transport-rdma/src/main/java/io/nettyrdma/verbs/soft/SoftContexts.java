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

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of a provider, one for each mode. They are made late, because DiSNI objects can only be made once a
 * provider is installed.
 *
 * <p>Threading: any thread.
 */
final class SoftContexts {

    private final SoftDevice device;
    private @Nullable SoftContext confined;
    private @Nullable SoftContext shared;

    SoftContexts(SoftDevice device) {
        this.device = device;
    }

    /** The context of event loops. */
    synchronized SoftContext confined() throws IOException {
        SoftContext c = confined;
        if (c == null) {
            c = new SoftContext(device, true);
            confined = c;
        }
        return c;
    }

    /** The context of programs without an event loop. */
    synchronized SoftContext shared() throws IOException {
        SoftContext c = shared;
        if (c == null) {
            c = new SoftContext(device, false);
            shared = c;
        }
        return c;
    }
}
