// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A committed file that a build generates from its tests.
 *
 * @param file     the file
 * @param write    whether the build generates it
 * @param required whether the build fails if it cannot say what belongs in the file
 */
public record GeneratedFile(Path file, boolean write, boolean required) {

    /** @param options of the check: may contain {@code write=true} and {@code required=true} */
    public GeneratedFile(Path file, List<String> options) {
        this(file, options.contains("write=true"), options.contains("required=true"));
    }

    /**
     * Writes {@code text}, or compares the file with it. Returns the outcome in words.
     *
     * @throws ConformanceException if the file is stale, and the build does not generate it
     */
    public String update(String text) throws IOException, ConformanceException {
        if (Files.exists(file) && Files.readString(file).equals(text)) {
            return file.getFileName() + " is up to date";
        }
        if (!write) {
            throw new ConformanceException(file.getFileName() + " is stale, regenerate it by"
                    + " mvn verify -Dconformance.write and commit it");
        }
        Files.writeString(file, text);
        return "wrote " + file.getFileName();
    }

    /**
     * Returns, in words, that the build says nothing about the file.
     *
     * @throws ConformanceException if it has to
     */
    public String notChecked(String why) throws ConformanceException {
        String outcome = "not checked, " + why;
        if (write || required) {
            throw new ConformanceException(outcome);
        }
        return outcome;
    }
}
