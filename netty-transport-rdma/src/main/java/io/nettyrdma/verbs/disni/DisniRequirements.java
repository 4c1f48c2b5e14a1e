// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.ProviderNeed;
import java.io.File;
import java.util.stream.Stream;

/**
 * What DiSNI's own provider needs of Java, looked at before anything of it is loaded.
 *
 * <p>Threading: static.
 */
final class DisniRequirements {

    private static final String BUILD = "build it from the DiSNI sources and put it on java.library.path";

    private DisniRequirements() {}

    /** This JVM as far as it matters here. */
    interface Jvm {
        boolean hasClass(String name);

        /** Whether DiSNI may use {@code sun.nio.ch}. */
        boolean exportsBuffersToDisni();

        /** Whether DiSNI is on the class path, where modules have no name. */
        boolean disniIsUnnamed();

        /** Whether the folders of {@code java.library.path} have a file. */
        boolean hasLibrary(String fileName);
    }

    static ProviderNeed slf4j(Jvm jvm) {
        String remedy = "add org.slf4j:slf4j-api"
                + (jvm.disniIsUnnamed() ? " to the class path" : ", and start Java with --add-modules org.slf4j");
        return new ProviderNeed(
                "slf4j-api",
                jvm.hasClass("org.slf4j.LoggerFactory") ? null : "DiSNI needs slf4j-api, which is not there; " + remedy,
                remedy);
    }

    static ProviderNeed buffers(Jvm jvm) {
        String option = "--add-exports java.base/sun.nio.ch=" + (jvm.disniIsUnnamed() ? "ALL-UNNAMED" : "disni");
        return new ProviderNeed(
                "access to sun.nio.ch",
                jvm.exportsBuffersToDisni()
                        ? null
                        : "DiSNI may not access the JDK's package sun.nio.ch; start Java with " + option,
                option);
    }

    static ProviderNeed library(Jvm jvm) {
        String file = System.mapLibraryName("disni");
        return new ProviderNeed(
                file,
                jvm.hasLibrary(file) ? null : file + " is in no folder of java.library.path; " + BUILD,
                "-Djava.library.path=FOLDER, of " + file + " that is built from the sources of DiSNI 2.1");
    }

    /** Says that the library is there and does not load. */
    static String loadDefect(Throwable cause) {
        return "libdisni does not load (" + cause + "); " + BUILD;
    }

    static final class ThisJvm implements Jvm {
        @Override
        public boolean hasClass(String name) {
            try {
                Class.forName(name, false, DisniRequirements.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException | LinkageError e) {
                return false;
            }
        }

        @Override
        public boolean exportsBuffersToDisni() {
            return Object.class.getModule().isExported("sun.nio.ch", RdmaProvider.class.getModule());
        }

        @Override
        public boolean disniIsUnnamed() {
            return !RdmaProvider.class.getModule().isNamed();
        }

        @Override
        public boolean hasLibrary(String fileName) {
            return Stream.of(System.getProperty("java.library.path", "").split(File.pathSeparator))
                    .anyMatch(folder -> new File(folder, fileName).exists());
        }
    }
}
