// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.nettyrdma.channel.Rdma;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was compiled against the newest Netty fits the one that the tests run on: see the lane older-netty. */
class LinkTest {

    @ParameterizedTest
    @ValueSource(classes = {Rdma.class, RpcRdmaClient.class})
    void everyClassOfALibraryLinks(Class<?> oneOfThem) throws Exception {
        URI library =
                oneOfThem.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path path = Path.of(library);
        if (Files.isDirectory(path)) {
            link(path);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(path, Map.of())) {
                link(jar.getPath("/"));
            }
        }
    }

    private static void link(Path root) throws Exception {
        List<String> names;
        try (Stream<Path> files = Files.walk(root.resolve("io"))) {
            names = files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .toList();
        }
        assertThat(names).hasSizeGreaterThan(100);
        for (String name : names) {
            assertThatCode(() -> Class.forName(name, false, LinkTest.class.getClassLoader())
                            .getDeclaredMethods())
                    .as(name)
                    .doesNotThrowAnyException();
        }
    }
}
