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
