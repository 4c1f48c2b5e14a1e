// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryVersionTest {

    @TempDir
    Path directory;

    private URL jar(String manifest) throws Exception {
        Path jar = directory.resolve("some.jar");
        Manifest read = new Manifest(
                new ByteArrayInputStream(("Manifest-Version: 1.0\n" + manifest).getBytes(StandardCharsets.UTF_8)));
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), read)) {
            out.putNextEntry(new JarEntry("Some.class"));
        }
        return URI.create("jar:" + jar.toUri() + "!/Some.class").toURL();
    }

    @Test
    void versionAndCommitAreThoseOfTheJar() throws Exception {
        assertThat(LibraryVersion.of(jar("Implementation-Version: 1.2\nImplementation-Build: abcdef\n")))
                .isEqualTo("netty-rdma 1.2, commit abcdef");
    }

    @Test
    void jarThatNamesNoneHasNone() throws Exception {
        assertThat(LibraryVersion.of(jar(""))).isEqualTo("netty-rdma unknown, commit unknown");
    }

    @Test
    void classOutsideOfJarsHasNone() throws Exception {
        assertThat(LibraryVersion.of(directory.toUri().toURL())).isEqualTo("netty-rdma unknown, commit unknown");
        assertThat(LibraryVersion.of(null)).isEqualTo("netty-rdma unknown, commit unknown");
    }
}
