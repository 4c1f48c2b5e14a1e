// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NfsAclBindingTest {

    @ParameterizedTest
    @CsvSource({
        // GETACL: status 4, attributes, mask 4, two lists of 8 + 1024 entries of 12.
        "2, 1, 24692",
        "3, 1, 24712",
        "2, 2, 96",
        "3, 2, 116",
        "2, 3, 96",
        "2, 4, 100",
        "2, 0, 32",
        "3, 0, 32"
    })
    @Requirement({"V1-028", "V1-130"})
    void repliesMayBeLongAndNothingIsReducible(int version, int procedure, int bytes) {
        ByteBuf call =
                XdrMessage.call(100227, version, procedure).opaque(32).words(15).buf();
        RpcCallHeader header = Objects.requireNonNull(RpcCallHeader.parse(call));
        UpperLayerBinding binding = UpperLayerBindings.nfs().of(header);
        ByteBuf reply = XdrMessage.reply().words(0).zeros(100).buf();

        assertThat(binding.replyBounds(header, call)).isEqualTo(new ReplyBounds(bytes, List.of()));
        assertThat(binding.mayReduceArguments(header)).isFalse();
        assertThat(binding.reducibleArguments(header, call)).isEmpty();
        assertThat(binding.reducibleResults(header, reply, new BitSet())).isEmpty();
    }
}
