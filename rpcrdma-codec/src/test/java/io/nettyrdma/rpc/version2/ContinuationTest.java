// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nettyrdma.conformance.Requirement;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ContinuationTest {

    @Test
    @Requirement({"V2-008", "V2-009"})
    void everyOctetIsInOneFragmentAndTheNextGoesOnWhereItEnds() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200_000; i++) {
            int header = 36 + random.nextInt(3);
            int lastHeader = header + random.nextInt(200);
            int threshold = lastHeader + 8 + random.nextInt(random.nextBoolean() ? 16 : 300);
            int payload = 4 + random.nextInt(random.nextBoolean() ? 64 : 5000);
            Continuation cuts = Continuation.cut(threshold, header, lastHeader, payload);
            String how = "seed %d: threshold %d, headers %d %d, payload %d"
                    .formatted(seed, threshold, header, lastHeader, payload);
            int offset = 0;
            int last = cuts.fragments() - 1;
            for (int fragment = 0; fragment <= last; fragment++) {
                int length = cuts.lengthBytes(fragment);
                if (cuts.offset(fragment) != offset
                        || length < 4
                        || fragment < last && (length & 3) != 0
                        || length + (fragment < last ? header : lastHeader) > threshold) {
                    throw new AssertionError(how + ", fragment " + fragment);
                }
                offset += length;
            }
            assertThat(offset).as(how).isEqualTo(payload);
            assertThat(cuts.fragments()).as(how).isEqualTo(fewest(threshold, header, lastHeader, payload));
        }
    }

    /** As many as it takes if the last is filled first. */
    private static int fewest(int threshold, int header, int lastHeader, int payload) {
        int fragments = 1;
        for (int rest = payload - (threshold - lastHeader); rest > 0; fragments++) {
            rest -= (threshold - header) / 4 * 4;
        }
        return fragments;
    }

    @Test
    @Requirement("V2-108")
    void listsOfTheLastFragmentLeaveItLessRoom() {
        Continuation without = Continuation.cut(136, 36, 36, 200);
        assertThat(without.fragments()).isEqualTo(2);
        assertThat(without.lengthBytes(0)).isEqualTo(100);

        Continuation with = Continuation.cut(136, 36, 116, 200);
        assertThat(with.fragments()).isEqualTo(3);
        assertThat(with.lengthBytes(0)).isEqualTo(100);
        assertThat(with.lengthBytes(1)).isEqualTo(96);
        assertThat(with.lengthBytes(2)).isEqualTo(4);
        assertThat(with.offset(2)).isEqualTo(196);
    }

    @Test
    void whatFitsOneSendIsNotCut() {
        assertThat(Continuation.cut(1024, 36, 36, 988).fragments()).isOne();
        assertThat(Continuation.cut(1024, 36, 36, 989).fragments()).isEqualTo(2);
    }

    @Test
    void headersHaveToLeaveRoom() {
        assertThat(Continuation.isPossible(44, 36, 36)).isTrue();
        assertThat(Continuation.isPossible(43, 36, 36)).isFalse();
        assertThat(Continuation.isPossible(1024, 36, 1017)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Continuation.cut(43, 36, 36, 100))
                .withMessageContaining("threshold 43");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Continuation.cut(1024, 36, 36, 3))
                .withMessageContaining("payload 3");
    }
}
