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
package io.nettyrdma.examples.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class NfsLocationTest {

    @Test
    void hasHostDirectoryAndName() {
        assertThat(NfsLocation.parse("server:/a//b/c", null))
                .isEqualTo(new NfsLocation("server", List.of("a", "b"), "c"));
        assertThat(NfsLocation.parse("server:/c", null)).isEqualTo(new NfsLocation("server", List.of(), "c"));
    }

    @Test
    void addressOfVersion6StandsInBrackets() {
        assertThat(NfsLocation.parse("[fe80::1]:/a", null).host()).isEqualTo("fe80::1");
    }

    @Test
    void slashAtTheEndMeansADirectory() {
        assertThat(NfsLocation.parse("server:/a/", "name")).isEqualTo(new NfsLocation("server", List.of("a"), "name"));
        assertThat(NfsLocation.parse("server:/", "name")).isEqualTo(new NfsLocation("server", List.of(), "name"));
    }

    @Test
    void anythingElseIsRefused() {
        for (String wrong : List.of("", "file", "server:file", ":/a", "server:/a/../b", "server:/./a", "server:/a/")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> NfsLocation.parse(wrong, null))
                    .withMessageEndingWith(": " + wrong);
        }
    }
}
