// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.modules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.netty.channel.Channel;
import io.nettyrdma.channel.RdmaChannel;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a native image keeps for reflection: the channels' constructors, and the classes that are asked for by name. */
class NativeImageTest {

    private static final String FILE = "/META-INF/native-image/io.nettyrdma/netty-transport-rdma/reflect-config.json";

    /** A line with a class; those of channels name the constructor without parameters. */
    private static final Pattern ENTRY = Pattern.compile(
            "  \\{\"name\": \"([\\w.]+)\"(, \"methods\": \\[\\{\"name\": \"<init>\", \"parameterTypes\": \\[]}])?},?");

    private static List<Matcher> entries() throws Exception {
        try (InputStream in = RdmaChannel.class.getResourceAsStream(FILE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.length() > 1)
                    .map(ENTRY::matcher)
                    .toList();
        }
    }

    @Test
    void everyNameIsThatOfAClass() throws Exception {
        for (Matcher entry : entries()) {
            assertThat(entry.matches()).as(entry.toString()).isTrue();
            assertThat(Class.forName(entry.group(1))).isNotNull();
        }
    }

    @Test
    void everyChannelThatABootstrapMakesIsListed() throws Exception {
        List<String> listed = entries().stream()
                .filter(entry -> entry.matches() && entry.group(2) != null)
                .map(entry -> entry.group(1))
                .toList();
        List<String> channels = new ClassFileImporter()
                .importPackages("io.nettyrdma").stream()
                        .filter(type -> type.isAssignableTo(Channel.class))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(type -> type.tryGetConstructor().isPresent())
                        .filter(type -> type.getConstructor().getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getName)
                        .sorted()
                        .toList();
        assertThat(listed).containsExactlyInAnyOrderElementsOf(channels);
    }
}
