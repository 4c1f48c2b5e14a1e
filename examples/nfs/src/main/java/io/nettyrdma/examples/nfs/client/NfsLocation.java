// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file on a server, written as {@code host:/directory/name}; an IPv6 address stands in brackets.
 *
 * @param host      name or address
 * @param directory names from the server's root to the file's directory
 * @param name      of the file
 */
public record NfsLocation(String host, List<String> directory, String name) {

    /**
     * Takes a location apart.
     *
     * @param nameInDirectory the name, if the location ends with a slash; without it such a location is an error
     * @throws IllegalArgumentException if it is not of the form above
     */
    public static NfsLocation parse(String location, @Nullable String nameInDirectory) {
        int slash = location.indexOf(":/");
        if (slash <= 0) {
            throw new IllegalArgumentException("not of the form SERVER:/directory/name: " + location);
        }
        String host = location.substring(0, slash);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        String path = location.substring(slash + 1);
        if (path.endsWith("/")) {
            if (nameInDirectory == null) {
                throw new IllegalArgumentException("a directory, not a file: " + location);
            }
            path += nameInDirectory;
        }
        List<String> names =
                Stream.of(path.split("/")).filter(name -> !name.isEmpty()).toList();
        if (names.contains(".") || names.contains("..")) {
            throw new IllegalArgumentException("\".\" and \"..\" are not allowed in a path: " + location);
        }
        return new NfsLocation(host, names.subList(0, names.size() - 1), names.get(names.size() - 1));
    }

    /** The path of the first directories. */
    String path(int depth) {
        return "/" + String.join("/", directory.subList(0, depth));
    }
}
