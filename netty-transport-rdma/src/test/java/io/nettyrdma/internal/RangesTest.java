// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class RangesTest {

    @Test
    void whatIsInRangeIsReturned() {
        assertThat(Ranges.require("x", 1, 1, 9)).isOne();
        assertThat(Ranges.require("x", 9, 1, 9)).isEqualTo(9);
        assertThat(Ranges.require("x", 1L << 40, 0, 1L << 40)).isEqualTo(1L << 40);
    }

    @Test
    void whatIsNotIsNamedWithItsRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.require("x", 0, 1, 9))
                .withMessage("x: 0 (expected: 1 to 9)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.require("x", (1L << 40) + 1, 0, 1L << 40))
                .withMessage("x: 1099511627777 (expected: 0 to 1099511627776)");
    }
}
