// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * What the lab needs on this machine. A test whose requirement is missing is skipped with a message saying what to run,
 * or fails with the same message when the system property {@code rdma.lab.required} is true, as it is in CI.
 */
final class LabRequirements {
    private LabRequirements() {}

    /** QEMU and what {@code lab/prepare} makes. */
    static void requireGuest() {
        List<String> missing = missingPrograms("qemu-system-x86_64", "timeout");
        for (String file : List.of("vmlinuz", "initrd", "modules", "version", "prepared")) {
            if (!Files.exists(preparedDir().resolve(file))) {
                missing.add(preparedDir().resolve(file).toString());
            }
        }
        require(missing);
    }

    /** A compiler of C, and the headers of libibverbs and librdmacm. */
    static void requireVerbsHeaders() {
        List<String> missing = missingPrograms("gcc");
        for (String header : List.of("/usr/include/infiniband/verbs.h", "/usr/include/rdma/rdma_cma.h")) {
            if (!Files.exists(Path.of(header))) {
                missing.add(header);
            }
        }
        require(missing);
    }

    static void requireTshark() {
        require(missingPrograms("tshark"));
    }

    /** What a capture on the loopback interface takes. */
    static void requireCapture() {
        require(missingPrograms("tshark", "tcpdump"));
    }

    /** What only tcpdump itself can tell: it ended at once, complaining of missing rights. */
    static void requireCaptureRights(String tcpdumpSaid) {
        boolean refused = tcpdumpSaid.contains("permission") || tcpdumpSaid.contains("Operation not permitted");
        require(refused ? List.of("the right to capture on lo (root, or CAP_NET_RAW on tcpdump)") : List.of());
    }

    /**
     * The program {@code java} of a JDK from 22 on, with which the guest calls functions of C: of the one that the
     * system property {@code rdma.lab.java} names, or else of this one.
     */
    static Path requireJavaWithForeignFunctions() {
        String named = System.getProperty("rdma.lab.java");
        boolean suits = named != null || Runtime.version().feature() >= 22;
        require(suits ? List.of() : List.of("a JDK 22 or newer (name its folder: -Drdma.lab.java=...)"));
        return Path.of(named != null ? named : System.getProperty("java.home"), "bin", "java");
    }

    /** Where {@code lab/prepare} put its result; the same rules as in the script. */
    static Path preparedDir() {
        return Optional.ofNullable(System.getProperty("rdma.lab.dir"))
                .or(() -> Optional.ofNullable(System.getenv("RDMA_LAB_DIR")).filter(s -> !s.isEmpty()))
                .map(Path::of)
                .orElseGet(() -> Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                        .filter(s -> !s.isEmpty())
                        .map(Path::of)
                        .orElse(Path.of(System.getProperty("user.home"), ".cache"))
                        .resolve("netty-rdma-lab"));
    }

    /** Returns the folder {@code integration-tests/lab}. */
    static Path moduleDir() {
        Path dir = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        // An IDE may start in the root of the repository.
        return Files.isDirectory(dir.resolve("guest")) ? dir : dir.resolve("integration-tests/lab");
    }

    private static List<String> missingPrograms(String... programs) {
        List<String> missing = new ArrayList<>();
        for (String program : programs) {
            if (!onPath(program)) {
                missing.add(program);
            }
        }
        return missing;
    }

    private static boolean onPath(String program) {
        for (String dir : System.getenv("PATH").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(dir, program))) {
                return true;
            }
        }
        return false;
    }

    private static void require(List<String> missing) {
        if (missing.isEmpty()) {
            return;
        }
        String message = "the Linux lab misses " + String.join(", ", missing) + "; run: "
                + moduleDir().resolve("prepare") + " --install";
        if (Boolean.getBoolean("rdma.lab.required")) {
            throw new AssertionError(message + " (rdma.lab.required=true)");
        }
        throw new TestAbortedException(message);
    }
}
