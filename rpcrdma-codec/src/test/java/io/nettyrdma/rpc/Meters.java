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
package io.nettyrdma.rpc;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** What meters say, as text. */
final class Meters {

    private Meters() {}

    /** Meters of that name that are not zero: their tags and values. */
    static List<String> countsOf(SimpleMeterRegistry registry, String name) {
        List<String> counts = new ArrayList<>();
        for (Meter meter : registry.find(name).meters()) {
            List<String> tags = new ArrayList<>();
            meter.getId().getTags().forEach(tag -> tags.add(tag.getKey() + "=" + tag.getValue()));
            long value = (long) meter.measure().iterator().next().getValue();
            if (value != 0) {
                counts.add(String.join(" ", tags) + ": " + value);
            }
        }
        return counts;
    }
}
