// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.RpcCallHeader.Protection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RpcCallHeaderTest {

    @Test
    void headerWithoutCredentialIsFortyOctets() {
        assertThat(RpcCallHeader.parse(XdrMessage.call(100003, 3, 7).buf()))
                .isEqualTo(new RpcCallHeader(XdrMessage.XID, 100003, 3, 7, Protection.CLEAR, 40));
    }

    @Test
    void credentialAndVerifierArePaddedAndCounted() {
        ByteBuf call = XdrMessage.empty()
                .words(1, 0, 2, 3, 4, 5)
                .words(1)
                .opaque(5)
                .words(0)
                .opaque(3)
                .buf();

        assertThat(RpcCallHeader.parse(call)).isEqualTo(new RpcCallHeader(1, 3, 4, 5, Protection.CLEAR, 52));
    }

    @Test
    void readerIndexIsTheOriginAndDoesNotMove() {
        ByteBuf call = XdrMessage.call(100003, 3, 7).behind(28);

        assertThat(RpcCallHeader.parse(call))
                .isEqualTo(new RpcCallHeader(XdrMessage.XID, 100003, 3, 7, Protection.CLEAR, 40));
        assertThat(call.readerIndex()).isEqualTo(28);
    }

    @Test
    void credentialOf400OctetsIsTheLongest() {
        assertThat(RpcCallHeader.parse(callWithAuth(400, 400))).isNotNull();
        assertThat(RpcCallHeader.parse(callWithAuth(401, 0))).isNull();
        assertThat(RpcCallHeader.parse(callWithAuth(0, 401))).isNull();
        assertThat(RpcCallHeader.parse(XdrMessage.empty()
                        .words(1, 0, 2, 3, 4, 5, 0, -4)
                        .zeros(200)
                        .buf()))
                .isNull();
    }

    private static ByteBuf callWithAuth(int credentialBytes, int verifierBytes) {
        return XdrMessage.empty()
                .words(1, 0, 2, 3, 4, 5)
                .words(1)
                .opaque(credentialBytes)
                .words(0)
                .opaque(verifierBytes)
                .buf();
    }

    @Test
    void replyIsNoCallAndNeitherIsAnotherRpcVersion() {
        assertThat(RpcCallHeader.parse(XdrMessage.reply().zeros(10).buf())).isNull();
        assertThat(RpcCallHeader.parse(
                        XdrMessage.empty().words(1, 0, 3, 3, 4, 5).zeros(4).buf()))
                .isNull();
    }

    @Test
    void noPrefixOfAHeaderIsAHeader() {
        ByteBuf call =
                XdrMessage.callWith(100003, 3, 7, XdrMessage.gss(1, 0, 1)).buf();
        for (int bytes = 0; bytes < call.readableBytes(); bytes++) {
            assertThat(RpcCallHeader.parse(call.slice(0, bytes)))
                    .as("%d octets", bytes)
                    .isNull();
        }
        assertThat(RpcCallHeader.parse(call)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void gssDataWithoutProtectionIsClear(int version) {
        RpcCallHeader header = RpcCallHeader.parse(
                XdrMessage.callWith(100003, 3, 7, XdrMessage.gss(version, 0, 1)).buf());

        assertThat(header).isEqualTo(new RpcCallHeader(XdrMessage.XID, 100003, 3, 7, Protection.CLEAR, 64));
    }

    @Requirement({"V1-144", "V1-146", "V2-163", "V2-164"})
    @ParameterizedTest
    @CsvSource({
        "1, 0, 2", // integrity
        "1, 0, 3", // privacy
        "1, 0, 0", // no such service
        "1, 0, 4", // channel protection, of which nothing is known here
        "1, 1, 1", // INIT
        "1, 2, 1", // CONTINUE_INIT
        "1, 3, 1", // DESTROY
        "3, 4, 1", // CREATE
        "0, 0, 1", // no such version
        "4, 0, 1", // a version to come
        "-1, 0, 1"
    })
    void gssWithProtectionAndGssControlAreProtected(int version, int procedure, int service) {
        ByteBuf call = XdrMessage.callWith(100003, 3, 7, XdrMessage.gss(version, procedure, service))
                .buf();

        assertThat(RpcCallHeader.parse(call))
                .isEqualTo(new RpcCallHeader(XdrMessage.XID, 100003, 3, 7, Protection.GSS_PROTECTED, 64));
    }

    @Test
    @Requirement({"V1-144"})
    void gssCredentialThatEndsEarlyIsProtected() {
        ByteBuf call = XdrMessage.callWith(100003, 3, 7, XdrMessage.empty().words(6, 16, 1, 0, 77, 1))
                .words(0, 0, 0)
                .buf();

        RpcCallHeader header = RpcCallHeader.parse(call);

        assertThat(header).extracting(RpcCallHeader::protection).isEqualTo(Protection.GSS_PROTECTED);
    }
}
