// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Nfs2BindingTest {

    private static final int READLINK = 5;
    private static final int READ = 6;
    private static final int WRITE = 8;
    private static final int SYMLINK = 13;

    private static final UpperLayerBinding BINDING = NfsBindings.nfs2();
    private static final BitSet WHOLE = new BitSet();

    /** A call up to what follows the file handle of 32 octets: 72 octets. */
    private static XdrMessage call(int procedure) {
        return XdrMessage.call(100003, 2, procedure).zeros(8);
    }

    private static List<XdrItem> arguments(ByteBuf call) {
        return BINDING.reducibleArguments(Objects.requireNonNull(RpcCallHeader.parse(call)), call);
    }

    private static List<XdrItem> results(int procedure, ByteBuf reply) {
        RpcCallHeader header =
                Objects.requireNonNull(RpcCallHeader.parse(call(procedure).buf()));
        return BINDING.reducibleResults(header, reply, WHOLE);
    }

    private static ReplyBounds bounds(ByteBuf call) {
        return BINDING.replyBounds(Objects.requireNonNull(RpcCallHeader.parse(call)), call);
    }

    @Test
    @Requirement({"V1-028", "V1-038"})
    void dataOfAWriteIsReducible() {
        // Begin offset, offset and total count: 12 octets; length 4.
        assertThat(arguments(call(WRITE).words(0, 4096, 0).opaque(4095).buf())).containsExactly(new XdrItem(88, 4095));
    }

    @Test
    @Requirement({"V1-028", "V1-036"})
    void pathOfASymlinkLiesBetweenItsNameAndItsAttributes() {
        ByteBuf call = call(SYMLINK).opaque(6).opaque(30).zeros(8).buf();

        assertThat(arguments(call)).containsExactly(new XdrItem(72 + 12 + 4, 30));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 18})
    @Requirement({"V1-028", "V1-136"})
    void argumentsOfOtherProceduresAreNeverReduced(int procedure) {
        ByteBuf call = call(procedure).words(0, 100, 0).opaque(100).buf();

        assertThat(arguments(call)).isEmpty();
        assertThat(BINDING.mayReduceArguments(Objects.requireNonNull(RpcCallHeader.parse(call))))
                .isFalse();
    }

    @Test
    @Requirement({"V1-028", "V1-032"})
    void dataOfAReadAndPathOfAReadLinkAreReducible() {
        // RPC header 24, status 4, attributes 68, length 4.
        assertThat(results(
                        READ, XdrMessage.reply().words(0).zeros(17).opaque(1001).buf()))
                .containsExactly(new XdrItem(100, 1001));
        assertThat(results(READLINK, XdrMessage.reply().words(0).opaque(9).buf()))
                .containsExactly(new XdrItem(32, 9));
        assertThat(results(READLINK, XdrMessage.reply().words(5).opaque(9).buf()))
                .isEmpty();
    }

    @Test
    @Requirement({"V1-049"})
    void readIsBoundedByItsCountAndByTheProtocol() {
        assertThat(bounds(call(READ).words(0, 1001, 0).buf()))
                .isEqualTo(new ReplyBounds(24 + 4 + 68 + 4 + 1004, List.of(1001)));
        assertThat(bounds(call(READ).words(0, -1, 0).buf()))
                .isEqualTo(new ReplyBounds(24 + 4 + 68 + 4 + 8192, List.of(8192)));
    }

    /** Worked from the definitions of RFC 1094: 24 octets of RPC header, then the status and the longer arm. */
    @ParameterizedTest
    @CsvSource({
        "0, 32", "1, 96", "2, 96", "3, 32", "4, 128", "7, 32", "8, 96", "9, 128", "10, 32", "11, 32", "12, 32",
        "13, 32", "14, 128", "15, 32", "17, 48"
    })
    @Requirement({"V1-130"})
    void replyIsBoundedByItsDefinition(int procedure, int bytes) {
        assertThat(bounds(call(procedure).zeros(20).buf())).isEqualTo(new ReplyBounds(bytes, List.of()));
    }

    @Test
    void pathsAndListsAreBounded() {
        assertThat(bounds(call(READLINK).buf())).isEqualTo(new ReplyBounds(24 + 4 + 4 + 1024, List.of(1024)));
        assertThat(bounds(call(16).words(0, 4096).buf())).isEqualTo(new ReplyBounds(24 + 4 + 8 + 4096, List.of()));
        assertThat(bounds(call(18).buf())).isEqualTo(ReplyBounds.UNKNOWN);
    }
}
