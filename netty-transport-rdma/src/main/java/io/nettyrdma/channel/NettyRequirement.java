// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.security.CodeSource;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The oldest Netty that event loops of this transport run on.
 *
 * <p>Threading: static.
 */
final class NettyRequirement {

    /** The first version whose loops call a handle when it is registered; older ones fail then. */
    static final String OLDEST = "4.2.7";

    private static final String HANDLE = "io.netty.channel.IoHandle";

    private NettyRequirement() {}

    /**
     * A jar of Netty.
     *
     * @param artifact its name in Maven
     * @param version  as the jar says, or {@code null} if it does not
     * @param file     its name, or {@code null} if it is no jar
     */
    record Jar(String artifact, @Nullable String version, @Nullable String file) {

        /** The jar that a class was loaded from. Other jars on the class path may have the same artifact. */
        static Jar of(String artifact, Class<?> type) {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            URL location = source == null ? null : source.getLocation();
            if (location == null || !location.getPath().endsWith(".jar")) {
                return new Jar(artifact, null, null);
            }
            String path = location.getPath();
            Properties versions = new Properties();
            try {
                URLConnection connection =
                        new URL("jar:" + location + "!/META-INF/io.netty.versions.properties").openConnection();
                connection.setUseCaches(false); // would keep the file open
                try (InputStream in = connection.getInputStream()) {
                    versions.load(in);
                }
            } catch (IOException e) {
                versions.clear(); // a jar of several projects may lack the list
            }
            return new Jar(
                    artifact, versions.getProperty(artifact + ".version"), path.substring(path.lastIndexOf('/') + 1));
        }

        /** The first two numbers of the version, which jars that work together have in common. */
        String series() {
            String[] numbers = String.valueOf(version).split("\\.", 3);
            return numbers.length < 2 ? "" : numbers[0] + '.' + numbers[1];
        }

        String describe() {
            return artifact
                    + ' '
                    + (version == null ? "of an unknown version" : version)
                    + (file == null ? "" : " (" + file + ')');
        }
    }

    /** Returns why the Netty found by this class is unusable, or {@code null} if it is usable. */
    @Nullable
    static String defect() {
        Classes classes = name -> Class.forName(name, false, NettyRequirement.class.getClassLoader());
        Jar transport = Jar.of("netty-transport", Channel.class);
        String defect = defect(classes, transport.describe());
        return defect != null
                ? defect
                : defect(List.of(
                        Jar.of("netty-common", EventExecutor.class), Jar.of("netty-buffer", ByteBuf.class), transport));
    }

    /** Returns why jars do not fit together, or {@code null} if they do, or do not tell their versions. */
    @Nullable
    static String defect(List<Jar> jars) {
        Set<String> series = jars.stream()
                .filter(jar -> jar.version() != null)
                .map(Jar::series)
                .collect(Collectors.toSet());
        return series.size() < 2
                ? null
                : "the jars of Netty are of different versions: "
                        + jars.stream().map(Jar::describe).collect(Collectors.joining(", "))
                        + "; let all have one version, for example by netty-bom";
    }

    /** Finds classes by name. */
    interface Classes {
        Class<?> find(String name) throws ClassNotFoundException;
    }

    /**
     * Returns why the Netty on the class path is unusable.
     *
     * @param classes   the source of its classes
     * @param transport the jar of netty-transport, for the message
     * @return a sentence, or {@code null} if it is usable
     */
    @Nullable
    static String defect(Classes classes, String transport) {
        String found;
        try {
            classes.find(HANDLE).getMethod("registered");
            return null;
        } catch (ClassNotFoundException e) {
            found = "no " + HANDLE;
        } catch (NoSuchMethodException e) {
            found = "no IoHandle.registered()";
        }
        return "Netty RDMA needs Netty " + OLDEST + " or newer; on the class path, the first is " + transport
                + " and has " + found;
    }
}
