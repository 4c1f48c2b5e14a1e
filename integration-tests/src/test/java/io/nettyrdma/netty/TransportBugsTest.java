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
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** TRANSPORT-BUGS.md names tests that there are. */
class TransportBugsTest {

    private static final Pattern REFERENCE = Pattern.compile("`([A-Z]\\w*(?:Test|Contract))(?:#(\\w+))?`");

    @Test
    void everyTestThatIsNamedExists() throws Exception {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(Path.of(".."), 12)) {
            sources = files.filter(file -> file.toString().contains("src/test/java"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .toList();
        }
        Matcher references = REFERENCE.matcher(Files.readString(Path.of("TRANSPORT-BUGS.md")));
        List<String> missing = new ArrayList<>();
        int found = 0;
        while (references.find()) {
            found++;
            String file = references.group(1) + ".java";
            String method = references.group(2);
            boolean exists = false;
            for (Path source : sources) {
                if (source.getFileName().toString().equals(file)) {
                    exists = method == null || Files.readString(source).contains(" " + method + "(");
                }
            }
            if (!exists) {
                missing.add(references.group());
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(2 * 27);
    }

    @Test
    void everyRowNamesATestOfByteStreams() throws Exception {
        List<String> rows = Files.readAllLines(Path.of("TRANSPORT-BUGS.md")).stream()
                .filter(line -> line.matches("\\| \\d.*"))
                .toList();
        assertThat(rows).hasSize(28).allSatisfy(row -> {
            String ofStreams = row.substring(row.lastIndexOf('|', row.length() - 2));
            assertThat(ofStreams).containsPattern(REFERENCE);
        });
    }
}
