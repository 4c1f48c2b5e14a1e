// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.modules;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.hadoop.oncrpc.RpcProgram;
import org.junit.jupiter.api.Test;

/** The exported API changes only where a change of its listing says so. */
class ExportedApiTest {

    private static final Path LISTING = Path.of("../API.txt");

    @Test
    void listingIsThatOfTheBuild() throws Exception {
        List<String> present = new ExportedApi(RdmaChannel.class, RpcRdmaConfig.class).lines();
        if (Boolean.getBoolean("api.write")) {
            Files.write(LISTING, present);
        }
        List<String> listed = Files.readAllLines(LISTING);
        List<String> gone = new ArrayList<>(listed);
        present.forEach(gone::remove);
        List<String> added = new ArrayList<>(present);
        listed.forEach(added::remove);
        assertThat(present.equals(listed))
                .as(
                        "API.txt is the exported API. Not exported: %s. Not listed: %s. If the change is wanted,"
                                + " run mvn verify -pl integration-tests/rules -am -Dtest=ExportedApiTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dapi.write=true, and commit API.txt",
                        gone, added)
                .isTrue();
    }

    /** A program may import all of this library and all of Hadoop's RPC, to serve a program of it. */
    @Test
    void noTypeHasTheNameOfOneOfHadoopsRpc() throws Exception {
        Set<String> others;
        try (JarFile jar = new JarFile(Path.of(RpcProgram.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toFile())) {
            others = jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("org/apache/hadoop/oncrpc/") && name.endsWith(".class"))
                    .map(name -> name.substring(name.lastIndexOf('/') + 1, name.length() - ".class".length()))
                    .collect(Collectors.toSet());
        }
        assertThat(others).contains("RpcCall", "XDR");
        Set<String> same = new TreeSet<>();
        for (Class<?> type : new ExportedApi(RdmaChannel.class, RpcRdmaConfig.class).types()) {
            if (type.getDeclaringClass() == null && others.contains(type.getSimpleName())) {
                same.add(type.getName());
            }
        }
        assertThat(same).isEmpty();
    }
}
