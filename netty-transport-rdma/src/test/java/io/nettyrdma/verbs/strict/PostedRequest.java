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
package io.nettyrdma.verbs.strict;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A work request that was posted and has not completed. */
final class PostedRequest {

    /** What the provider knows it by. */
    final long number;
    /** What the program knows it by. */
    final long wrId;

    final boolean signalled;
    /** Whether a key of it was wrong. */
    boolean wrong;

    /** Where an RDMA Read leaves its octets, if that is to be late. */
    @Nullable
    StrictMr sink;

    long sinkAddress;
    int sinkBytes;

    private final List<StrictMr> regions = new ArrayList<>(1);

    PostedRequest(long number, long wrId, boolean signalled) {
        this.number = number;
        this.wrId = wrId;
        this.signalled = signalled;
    }

    void uses(StrictMr region) {
        region.use();
        regions.add(region);
    }

    /** The device does not touch the memory any more. */
    void done() {
        regions.forEach(StrictMr::unuse);
        regions.clear();
    }
}
