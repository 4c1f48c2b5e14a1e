// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A class path in the directory that the guest shares, where every user of the guest may read it. */
final class GuestClassPath {

    private GuestClassPath() {}

    /**
     * Copies the jars, or the directories, from which classes come. Once per guest.
     *
     * @return the class path, as the guest sees it
     */
    static String of(LabGuest guest, Class<?>... classes) throws IOException, URISyntaxException {
        Path directory = Files.createDirectory(guest.share().resolve("classes"));
        Set<String> elements = new TreeSet<>();
        for (Class<?> one : classes) {
            Path from = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            // Directories are all called target/classes.
            String name = from.toString().replaceAll("[^A-Za-z0-9.-]", "_");
            if (elements.add(LabGuest.SHARE_IN_GUEST + '/' + directory.getFileName() + '/' + name)) {
                copy(from, directory.resolve(name));
            }
        }
        return String.join(":", elements);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }
}
