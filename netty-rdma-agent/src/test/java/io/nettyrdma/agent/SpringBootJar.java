// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;

/** A jar as Spring Boot's plug-ins make it: its loader, and all jars of the program in this one. */
final class SpringBootJar {

    private SpringBootJar() {}

    static void write(JarOutputStream out, List<String> jars, Class<?> program) throws IOException {
        try (JarInputStream loader =
                new JarInputStream(Files.newInputStream(Path.of(System.getProperty("boot.loader"))))) {
            for (JarEntry entry; (entry = loader.getNextJarEntry()) != null; ) {
                if (entry.getName().endsWith(".class")) {
                    AgentTest.put(out, entry.getName(), loader.readAllBytes());
                }
            }
        }
        AgentTest.put(out, "BOOT-INF/lib/", new byte[0]);
        for (String jar : jars) {
            AgentTest.put(out, "BOOT-INF/lib/" + Path.of(jar).getFileName(), Files.readAllBytes(Path.of(jar)));
        }
        AgentTest.put(out, "BOOT-INF/classes/", new byte[0]);
        putClasses(out, "BOOT-INF/classes/", program);
    }

    static void putClasses(JarOutputStream out, String folder, Class<?> program) throws IOException {
        Path root = Path.of(ChildJvm.classes());
        try (var files = Files.walk(root)) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith(program.getSimpleName()))
                    .toList()) {
                AgentTest.put(out, folder + root.relativize(file), Files.readAllBytes(file));
            }
        }
    }
}
