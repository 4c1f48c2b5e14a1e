// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What DiSNI's own provider needs beside libdisni, looked at before anything of it is loaded.
 *
 * <p>Threading: static.
 */
final class DisniRequirements {

    private static final String CONNECTION_MANAGER = "/dev/infiniband/rdma_cm";

    private DisniRequirements() {}

    /** The machine as far as it matters here. */
    interface Machine {
        boolean hasClass(String name);

        /** Whether DiSNI may use {@code sun.nio.ch}. */
        boolean exportsBuffersToDisni();

        /** Whether DiSNI is on the class path, where modules have no name. */
        boolean disniIsUnnamed();

        boolean exists(String file);

        boolean isReadableAndWritable(String file);
    }

    /**
     * Checks the requirements.
     *
     * @throws IOException if one is not met; the message is a sentence that says what to do
     */
    static void check(Machine machine) throws IOException {
        if (!machine.hasClass("org.slf4j.LoggerFactory")) {
            throw new IOException("DiSNI needs slf4j-api, which is not there; add org.slf4j:slf4j-api"
                    + (machine.disniIsUnnamed()
                            ? " to the class path"
                            : ", and start Java with --add-modules org.slf4j"));
        }
        if (!machine.exportsBuffersToDisni()) {
            throw new IOException("DiSNI may not access the JDK's package sun.nio.ch; start Java with"
                    + " --add-exports java.base/sun.nio.ch=" + (machine.disniIsUnnamed() ? "ALL-UNNAMED" : "disni"));
        }
        if (!machine.exists(CONNECTION_MANAGER)) {
            throw new IOException(CONNECTION_MANAGER + " does not exist; load the kernel module rdma_ucm");
        }
        if (!machine.isReadableAndWritable(CONNECTION_MANAGER)) {
            throw new IOException("this user may not read and write " + CONNECTION_MANAGER
                    + "; give it access to the files in /dev/infiniband");
        }
    }

    /** The machine that this is. */
    static final class ThisMachine implements Machine {
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
        public boolean exists(String file) {
            return Files.exists(Path.of(file));
        }

        @Override
        public boolean isReadableAndWritable(String file) {
            return Files.isReadable(Path.of(file)) && Files.isWritable(Path.of(file));
        }
    }
}
