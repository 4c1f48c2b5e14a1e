// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** What meters say, as text. */
public final class Meters {

    private Meters() {}

    /** Meters of that name that are not zero: their tags and values. */
    public static List<String> countsOf(SimpleMeterRegistry registry, String name) {
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
