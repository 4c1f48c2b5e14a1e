// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.util.List;
import java.util.Locale;

/**
 * What is to be said of some requirements that no test proves, or not wholly.
 *
 * @param first  first id
 * @param last   last id, of the same family; ids are compared as text
 * @param reason why, or for {@link Kind#OPEN} the area of work that will close it
 */
record StatusLine(String first, String last, Kind kind, String reason) {

    enum Kind {
        /** Nothing a test could show; somebody has looked. */
        REVIEWED,
        /** Not followed, on purpose. */
        EXCEPTION,
        /** Not done yet, or in part; tests may show what there is. */
        OPEN
    }

    static StatusLine parse(String ids, String status, String reason) {
        if (reason.isBlank()) {
            throw new IllegalArgumentException(ids + ": a status needs a reason");
        }
        List<String> range = List.of(ids.split("\\.\\."));
        return new StatusLine(
                range.get(0), range.get(range.size() - 1), Kind.valueOf(status.toUpperCase(Locale.ROOT)), reason);
    }

    boolean covers(String id) {
        return first.compareTo(id) <= 0 && id.compareTo(last) <= 0;
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " (" + reason + ")";
    }
}
