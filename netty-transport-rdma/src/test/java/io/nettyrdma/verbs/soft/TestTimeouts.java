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

import java.time.Duration;

/** Changes waits of the software provider that are the same for all programs, for tests of other packages. */
public final class TestTimeouts {

    private TestTimeouts() {}

    /** Sets how long an FPDU may take from its first octet to its last. */
    public static SoftProviderConfig.Builder partialFpdu(SoftProviderConfig.Builder config, Duration limit) {
        return config.timeouts(it -> it.partialFpduMillis = (int) limit.toMillis());
    }

    /** Sets how long each side waits for the other one's whole start-up frame. */
    public static SoftProviderConfig.Builder startup(
            SoftProviderConfig.Builder config, Duration request, Duration reply) {
        return config.timeouts(it -> it.mpaRequestMillis = (int) request.toMillis())
                .timeouts(it -> it.mpaReplyMillis = (int) reply.toMillis());
    }
}
