// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import java.util.Locale;
import java.util.Map;

/** The media type of a file by the end of its name. */
final class MediaTypes {

    static final String BINARY = "application/octet-stream";
    static final String TEXT = "text/plain; charset=utf-8";

    private static final Map<String, String> BY_EXTENSION = Map.ofEntries(
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("gif", "image/gif"),
            Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("md", TEXT),
            Map.entry("pdf", "application/pdf"),
            Map.entry("png", "image/png"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("txt", TEXT),
            Map.entry("xml", "application/xml"));

    private MediaTypes() {}

    static String of(String fileName) {
        String extension = fileName.substring(fileName.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return BY_EXTENSION.getOrDefault(extension, BINARY);
    }
}
