// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Takes names and addresses of the machine out of a text, so that a user can show it to others. */
final class Mask {

    /** But for the loopback addresses. */
    private static final Pattern IPV4 = Pattern.compile("(?<![\\w.])(?!127\\.)\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\w.])");

    /** IPv6, GIDs, GUIDs and hardware addresses, but for the loopback address. */
    private static final Pattern HEX_GROUPS = Pattern.compile(
            "(?i)(?<![\\w.:])(?!::1(?![\\w:])|(?:0:){7}1(?![\\w]))[0-9a-f]*:[0-9a-f]*:[0-9a-f:]*(?:%\\w+)?");

    private final List<String> names;

    /** @param names of the user and of the machine; those that say nothing are left */
    Mask(String... names) {
        this.names = Stream.of(names)
                .filter(name -> name.length() > 1 && !name.equals("root") && !name.equals("localhost"))
                .toList();
    }

    String apply(String text) {
        String masked =
                HEX_GROUPS.matcher(IPV4.matcher(text).replaceAll("ADDRESS")).replaceAll("ADDRESS");
        for (String name : names) {
            masked = masked.replaceAll("(?<!\\w)" + Pattern.quote(name) + "(?!\\w)", "NAME");
        }
        return masked;
    }
}
