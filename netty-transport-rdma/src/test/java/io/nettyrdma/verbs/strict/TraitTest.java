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
package io.nettyrdma.verbs.strict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TraitTest {

    @Test
    void partsHaveEachTraitOnce() {
        assertThat(IntStream.rangeClosed(1, 6).mapToObj(part -> Trait.parse(part + "/6")))
                .allMatch(traits -> traits.size() == 3)
                .flatMap(traits -> traits)
                .containsExactlyInAnyOrder(Trait.values());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Trait.parse("7/6"))
                .withMessageContaining("7/6");
    }

    @Test
    void namesListTraits() {
        assertThat(Trait.parse("NO_REASONS, CALLS_HOLD")).isEqualTo(Set.of(Trait.NO_REASONS, Trait.CALLS_HOLD));
        assertThat(Trait.parse("all")).isEqualTo(Trait.all());
    }
}
