// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TransportPropertiesTest {

    private static final int MAX_BYTES = 16384;
    private static final TransportProperties DEFAULTS = TransportProperties.DEFAULTS;

    private static TransportProperties applied(TransportProperty... set) {
        return DEFAULTS.apply(List.of(set), MAX_BYTES);
    }

    private static List<TransportProperty> all() {
        return List.of(
                TransportProperty.sendBytes(8192),
                TransportProperty.receiveBytes(5000),
                TransportProperty.segmentBytes(77),
                TransportProperty.segmentsPerHeader(64),
                TransportProperty.reverseLevel(ReverseLevel.CONT),
                TransportProperty.hostAuthentication(new byte[] {1, 2, 3}));
    }

    @Test
    @Requirement({"V2-085", "V2-086", "V2-088", "V2-089"})
    void whoHasToldNothingHasTheDefaults() {
        assertThat(applied()).isEqualTo(new TransportProperties(4096, 4096, 1 << 20, 16, ReverseLevel.NONE, null));
        assertThat(DEFAULTS.token()).isNull();
    }

    @Test
    @Requirement({"V2-085", "V2-086", "V2-088", "V2-089"})
    void everyPropertyHasItsPlace() {
        TransportProperties properties = DEFAULTS.apply(all(), MAX_BYTES);

        assertThat(properties.sendBytes()).isEqualTo(8192);
        assertThat(properties.receiveBytes()).isEqualTo(5000);
        assertThat(properties.segmentBytes()).isEqualTo(77);
        assertThat(properties.segmentsPerHeader()).isEqualTo(64);
        assertThat(properties.reverseLevel()).isEqualTo(ReverseLevel.CONT);
        assertThat(properties.token()).containsExactly(1, 2, 3);
    }

    @Test
    @Requirement("V2-083")
    void orderDoesNotMatter() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < 100; run++) {
            List<TransportProperty> shuffled = new ArrayList<>(all());
            Collections.shuffle(shuffled, random);

            assertThat(DEFAULTS.apply(shuffled, MAX_BYTES))
                    .as("seed %d", seed)
                    .isEqualTo(DEFAULTS.apply(all(), MAX_BYTES));
        }
    }

    @Test
    void lastOfAKindCounts() {
        assertThat(applied(TransportProperty.sendBytes(2048), TransportProperty.sendBytes(3072))
                        .sendBytes())
                .isEqualTo(3072);
    }

    @Test
    void laterSetLeavesWhatItDoesNotHave() {
        TransportProperties first = applied(TransportProperty.sendBytes(2048), TransportProperty.receiveBytes(2048));

        TransportProperties second = first.apply(List.of(TransportProperty.sendBytes(3072)), MAX_BYTES);

        assertThat(second.sendBytes()).isEqualTo(3072);
        assertThat(second.receiveBytes()).isEqualTo(2048);
    }

    @Test
    @Requirement("V2-079")
    void emptyDataBringTheDefaultBack() {
        TransportProperties properties = DEFAULTS.apply(all(), MAX_BYTES);
        for (int id = 1; id <= 6; id++) {
            properties = properties.apply(List.of(TransportProperty.of(id, new byte[0])), MAX_BYTES);
        }

        assertThat(properties).isEqualTo(DEFAULTS);
    }

    @Test
    @Requirement("V2-165")
    void sizesAreBroughtIntoTheRangeOfThisSide() {
        for (long bytes : new long[] {0, 1, 1023, 1024}) {
            assertThat(applied(TransportProperty.sendBytes(bytes)).sendBytes()).isEqualTo(1024);
            assertThat(applied(TransportProperty.receiveBytes(bytes)).receiveBytes())
                    .isEqualTo(1024);
        }
        for (long bytes : new long[] {MAX_BYTES, MAX_BYTES + 1, 1L << 31, 0xffff_ffffL}) {
            assertThat(applied(TransportProperty.sendBytes(bytes)).sendBytes()).isEqualTo(MAX_BYTES);
            assertThat(applied(TransportProperty.receiveBytes(bytes)).receiveBytes())
                    .isEqualTo(MAX_BYTES);
        }
    }

    @Test
    void segmentsMayBeNoneOrOfNothing() {
        assertThat(applied(TransportProperty.segmentBytes(0)).segmentBytes()).isZero();
        assertThat(applied(TransportProperty.segmentsPerHeader(0)).segmentsPerHeader())
                .isZero();
        assertThat(applied(TransportProperty.segmentBytes(0xffff_ffffL)).segmentBytes())
                .isEqualTo(0xffff_ffffL);
        assertThat(applied(TransportProperty.segmentsPerHeader(0xffff_ffffL)).segmentsPerHeader())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    @Requirement("V2-090")
    void levelsHaveTheNumbersOfTheDraft() {
        ReverseLevel[] levels = {ReverseLevel.NONE, ReverseLevel.SIMPLE, ReverseLevel.CONT, ReverseLevel.GENL};
        for (int number = 0; number < levels.length; number++) {
            byte[] data = {0, 0, 0, (byte) number};
            assertThat(levels[number].number()).isEqualTo(number);
            assertThat(applied(TransportProperty.of(5, data)).reverseLevel()).isEqualTo(levels[number]);
            assertThat(levels[number].mayContinue()).isEqualTo(number >= 2);
            assertThat(levels[number].mayHaveChunks()).isEqualTo(number == 3);
        }
        assertThat(applied(TransportProperty.of(5, new byte[] {0, 0, 0, 4})).reverseLevel())
                .isEqualTo(ReverseLevel.NONE);
        assertThat(applied(TransportProperty.of(5, new byte[] {-1, 0, 0, 1})).reverseLevel())
                .isEqualTo(ReverseLevel.NONE);
    }

    @Test
    @Requirement({"V2-082", "V2-169"})
    void propertiesOfExtensionsAreSkipped() {
        assertThat(applied(
                        TransportProperty.of(0, new byte[9]),
                        TransportProperty.of(7, new byte[4]),
                        TransportProperty.of(-1, new byte[4])))
                .isEqualTo(DEFAULTS);
    }

    /** None of its bits is lost. */
    @Test
    @Requirement("V2-169")
    void numberOfAPropertyMayBeAnyWord() {
        for (int id : new int[] {0, 7, 0x102, 0x0001_0002, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            assertThat(TransportProperty.of(id, new byte[4]).id()).isEqualTo(id);
        }
        assertThat(applied(TransportProperty.of(0x102, new byte[] {0, 0, 32, 0})))
                .isEqualTo(DEFAULTS);
    }

    @Test
    void emptyTokenIsNone() {
        assertThat(applied(TransportProperty.hostAuthentication(new byte[0])).token())
                .isNull();
    }

    @Test
    void dataAreNotShared() {
        byte[] data = {0, 0, 32, 0};
        TransportProperty property = TransportProperty.of(1, data);
        data[3] = 1;
        property.data()[3] = 1;

        assertThat(property).isEqualTo(TransportProperty.sendBytes(8192)).hasToString("property 1: 00002000");
        assertThat(property).hasSameHashCodeAs(TransportProperty.sendBytes(8192));
        assertThat(property).isNotEqualTo(TransportProperty.receiveBytes(8192));
    }

    @Test
    void numbersBeyondAWordAreRefused() {
        assertThatThrownBy(() -> TransportProperty.sendBytes(1L << 32)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TransportProperty.segmentBytes(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
