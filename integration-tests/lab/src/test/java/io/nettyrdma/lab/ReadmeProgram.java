// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Commands of {@code docs/devices.md} that run programs in C as peers. The lab runs them as they stand there. */
final class ReadmeProgram {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\n(.*?)^```$");
    private static final String PRELOAD = "LD_PRELOAD=";
    private static final Path README = Path.of("../../docs/devices.md");

    private ReadmeProgram() {}

    /** Returns all commands, in their order. */
    static List<String> commands() throws IOException {
        return BLOCK.matcher(Files.readString(README))
                .results()
                .map(block -> block.group(1))
                .filter(block -> block.contains(PRELOAD))
                .flatMap(String::lines)
                .toList();
    }

    /**
     * Returns a command for the guest with a limit of 60 s.
     *
     * @param program its first words, behind any variables
     * @param pairs   a placeholder, such as PORT, and its value, and so on
     */
    static String command(String program, Object... pairs) throws IOException {
        List<String> found = new ArrayList<>();
        for (String command : commands()) {
            if (command.replaceFirst("^" + PRELOAD + "\\S+ ", "").startsWith(program + ' ')) {
                found.add(command);
            }
        }
        if (found.size() != 1) {
            throw new AssertionError(README + " has " + found.size() + " commands of " + program + " (expected: 1)");
        }
        String command = found.get(0);
        for (int i = 0; i < pairs.length; i += 2) {
            command = command.replaceAll("\\b" + pairs[i] + "\\b", String.valueOf(pairs[i + 1]));
        }
        return "timeout 60 env " + command;
    }
}
