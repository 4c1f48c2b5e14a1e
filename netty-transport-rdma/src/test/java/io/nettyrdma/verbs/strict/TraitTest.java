// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
