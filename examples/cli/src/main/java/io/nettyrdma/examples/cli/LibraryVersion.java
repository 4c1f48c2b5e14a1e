// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.jar.Attributes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** The version and the commit of the library that runs, from the manifest of its jar. */
final class LibraryVersion implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {of(Rdma.class.getResource("Rdma.class"))};
    }

    /** As {@link #getVersion}, of the jar with a class; both are unknown if the class is in no jar. */
    static String of(@Nullable URL type) throws IOException {
        Attributes attributes = type != null && type.openConnection() instanceof JarURLConnection jar
                ? jar.getMainAttributes()
                : new Attributes();
        return "netty-rdma " + value(attributes, Attributes.Name.IMPLEMENTATION_VERSION.toString()) + ", commit "
                + value(attributes, "Implementation-Build");
    }

    private static String value(Attributes attributes, String name) {
        String value = attributes.getValue(name);
        return value == null ? "unknown" : value;
    }
}
