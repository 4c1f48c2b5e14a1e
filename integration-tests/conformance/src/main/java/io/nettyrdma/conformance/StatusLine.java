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
