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
