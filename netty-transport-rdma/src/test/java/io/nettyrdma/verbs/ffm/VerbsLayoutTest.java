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
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Against what {@code integration-tests/lab/verbs-layout.c} has printed of the headers of several releases. */
class VerbsLayoutTest {

    /** Sizes of which only a part is used: the rest differs between releases or processors. */
    private static final Set<String> PARTS =
            Set.of("IBV_CONTEXT_BYTES", "IBV_DEVICE_BYTES", "IBV_QP_BYTES", "IBV_CQ_BYTES");

    private static Stream<Path> printed() throws IOException, URISyntaxException {
        Path directory =
                Path.of(VerbsLayoutTest.class.getResource("/verbs-layout").toURI());
        return Files.list(directory).sorted();
    }

    private static Map<String, Integer> constants() {
        return Arrays.stream(VerbsLayout.class.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == int.class)
                .filter(field -> !PARTS.contains(field.getName()))
                .collect(Collectors.toMap(Field::getName, VerbsLayoutTest::value, (a, b) -> a, TreeMap::new));
    }

    private static int value(Field constant) {
        try {
            return constant.getInt(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Integer> constants(Path printed) {
        try (Stream<String> lines = Files.lines(printed)) {
            return lines.map(line -> line.split(" "))
                    .collect(Collectors.toMap(
                            parts -> parts[0], parts -> Integer.valueOf(parts[1]), (a, b) -> a, TreeMap::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("printed")
    void fieldsLieWhereTheHeadersHaveThem(Path printed) {
        assertThat(constants()).isEqualTo(constants(printed));
    }

    @Test
    void partsEndBehindTheirLastField() {
        assertThat(VerbsLayout.IBV_CONTEXT_BYTES).isEqualTo(VerbsLayout.IBV_CONTEXT_NUM_COMP_VECTORS + Integer.BYTES);
        assertThat(VerbsLayout.IBV_QP_BYTES).isEqualTo(VerbsLayout.IBV_QP_STATE + Integer.BYTES);
        assertThat(VerbsLayout.IBV_CQ_BYTES).isEqualTo(VerbsLayout.IBV_CQ_CQE + Integer.BYTES);
    }
}
