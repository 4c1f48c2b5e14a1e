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

class Nfs3BindingTest {

    private static final int READLINK = 5;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int SYMLINK = 10;

    private static final UpperLayerBinding BINDING = NfsBindings.nfs3();
    private static final BitSet WHOLE = new BitSet();

    private static XdrMessage call(int procedure) {
        return XdrMessage.call(100003, 3, procedure);
    }

    private static List<XdrItem> arguments(ByteBuf call) {
        return BINDING.reducibleArguments(Objects.requireNonNull(RpcCallHeader.parse(call)), call);
    }

    private static List<XdrItem> results(int procedure, ByteBuf reply, BitSet reduced) {
        ByteBuf call = call(procedure).buf();
        return BINDING.reducibleResults(Objects.requireNonNull(RpcCallHeader.parse(call)), reply, reduced);
    }

    private static ReplyBounds bounds(ByteBuf call) {
        return BINDING.replyBounds(Objects.requireNonNull(RpcCallHeader.parse(call)), call);
    }

    private static XdrMessage write(int dataBytes) {
        return call(WRITE).opaque(32).words(0, 4096, dataBytes, 2).opaque(dataBytes);
    }

    @Test
    @Requirement({"V1-028", "V1-032", "V1-036", "V1-037", "V1-038"})
    void dataOfAWriteBeginsBehindItsLengthWordAt96() {
        // RPC header 40, handle 4 + 32, offset 8, count 4, stable 4, length 4.
        assertThat(arguments(write(8001).buf())).containsExactly(new XdrItem(96, 8001));
    }

    @Test
    @Requirement({"V1-038"})
    void positionsCountFromTheXidWhereverTheMessageLies() {
        assertThat(arguments(write(8001).behind(52))).containsExactly(new XdrItem(96, 8001));
    }

    @Test
    @Requirement({"V1-144"})
    void positionsCountTheCredentialToo() {
        ByteBuf call = XdrMessage.callWith(100003, 3, WRITE, XdrMessage.gss(1, 0, 1))
                .opaque(32)
                .words(0, 0, 100, 2)
                .opaque(100)
                .buf();

        assertThat(arguments(call)).containsExactly(new XdrItem(120, 100));
    }

    @Test
    @Requirement({"V1-028", "V1-036"})
    void pathOfASymlinkIsReducibleAndItsNameIsNot() {
        // Handle 36, name 4 + 8, attributes: mode 8, uid 4, gid 4, size 4, atime 4, mtime 4 + 8.
        ByteBuf call = call(SYMLINK)
                .opaque(32)
                .opaque(5)
                .words(1, 0777, 0, 0, 0, 1, 2, 11, 12)
                .opaque(30)
                .buf();

        assertThat(arguments(call)).containsExactly(new XdrItem(40 + 36 + 12 + 36 + 4, 30));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, -1})
    @Requirement({"V1-028", "V1-136"})
    void argumentsOfOtherProceduresAreNeverReduced(int procedure) {
        ByteBuf call =
                call(procedure).opaque(32).words(0, 0, 100, 2).opaque(100).buf();

        assertThat(arguments(call)).isEmpty();
        assertThat(BINDING.mayReduceArguments(Objects.requireNonNull(RpcCallHeader.parse(call))))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {WRITE, SYMLINK})
    void writeAndSymlinkMayReduceArguments(int procedure) {
        assertThat(BINDING.mayReduceArguments(Objects.requireNonNull(
                        RpcCallHeader.parse(call(procedure).buf()))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    @Requirement({"V1-146"})
    void protectedCallsAreNotLookedInto(int service) {
        ByteBuf call = XdrMessage.callWith(100003, 3, WRITE, XdrMessage.gss(1, 0, service))
                .opaque(32)
                .words(0, 0, 100, 2)
                .opaque(100)
                .buf();
        RpcCallHeader header = Objects.requireNonNull(RpcCallHeader.parse(call));

        assertThat(BINDING.mayReduceArguments(header)).isFalse();
        assertThat(BINDING.reducibleArguments(header, call)).isEmpty();
        assertThat(BINDING.replyBounds(header, call)).isEqualTo(ReplyBounds.UNKNOWN);
    }

    private static XdrMessage readReply(boolean attributes) {
        XdrMessage reply = XdrMessage.reply().words(0, attributes ? 1 : 0);
        return (attributes ? reply.zeros(21) : reply).words(1001, 1);
    }

    @Test
    @Requirement({"V1-028", "V1-032", "V1-037"})
    void dataOfAReadBeginsAt128WithAttributesAndAt44Without() {
        assertThat(results(READ, readReply(true).opaque(1001).buf(), WHOLE)).containsExactly(new XdrItem(128, 1001));
        assertThat(results(READ, readReply(false).opaque(1001).buf(), WHOLE)).containsExactly(new XdrItem(44, 1001));
        assertThat(results(READ, readReply(false).opaque(1001).behind(36), WHOLE))
                .containsExactly(new XdrItem(44, 1001));
    }

    @Test
    @Requirement({"V1-032", "V1-037"})
    void dataThatIsInAChunkLeavesItsLengthWord() {
        BitSet first = new BitSet();
        first.set(0);
        ByteBuf reply = readReply(true).reduced(1001).buf();

        assertThat(results(READ, reply, first)).containsExactly(new XdrItem(128, 1001));
        assertThat(results(READ, reply, WHOLE)).isEmpty();
    }

    @Test
    void emptyDataIsAnItemToo() {
        assertThat(results(READ, readReply(false).opaque(0).buf(), WHOLE)).containsExactly(new XdrItem(44, 0));
    }

    @Test
    @Requirement({"V1-028"})
    void pathOfAReadLinkBeginsAt120WithAttributesAndAt36Without() {
        ByteBuf with = XdrMessage.reply().words(0, 1).zeros(21).opaque(7).buf();
        ByteBuf without = XdrMessage.reply().words(0, 0).opaque(7).buf();

        assertThat(results(READLINK, with, WHOLE)).containsExactly(new XdrItem(120, 7));
        assertThat(results(READLINK, without, WHOLE)).containsExactly(new XdrItem(36, 7));
    }

    @Test
    @Requirement({"V1-144"})
    void verifierOfTheReplyIsSteppedOver() {
        ByteBuf reply = XdrMessage.empty()
                .words(XdrMessage.XID, 1, 0, 6)
                .opaque(37)
                .words(0)
                .words(0, 0)
                .opaque(7)
                .buf();

        assertThat(results(READLINK, reply, WHOLE)).containsExactly(new XdrItem(76, 7));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0, 13", "0, 0, 1, 0", "0, 0, 2, 0", "0, 1, 0, 0", "1, 0, 0, 0"})
    @Requirement({"V1-028", "V1-035", "V2-037"})
    void failuresHaveNothingReducible(int direction, int replyStatus, int acceptStatus, int status) {
        ByteBuf reply = XdrMessage.empty()
                .words(XdrMessage.XID, direction == 0 ? 1 : 0, replyStatus, 0, 0, acceptStatus)
                .words(status, 0)
                .opaque(7)
                .zeros(20)
                .buf();

        assertThat(results(READLINK, reply, WHOLE)).isEmpty();
    }

    @Test
    @Requirement({"V1-028"})
    void listsOfDirectoriesStayWhole() {
        assertThat(results(17, XdrMessage.reply().words(0, 0).zeros(40).buf(), WHOLE))
                .isEmpty();
    }

    @Test
    @Requirement({"V1-049"})
    void replyToAReadIsAsLongAsItsCountSays() {
        // RPC header 24, status 4, attributes 4 + 84, count 4, eof 4, length 4: 128 octets.
        ByteBuf call = call(READ).opaque(32).words(0, 0, 1001).buf();

        assertThat(bounds(call)).isEqualTo(new ReplyBounds(128 + 1004, List.of(1001)));
    }

    @ParameterizedTest
    @CsvSource({"1, 400", "6, 400", "0, 0"})
    @Requirement({"V1-145", "V2-185"})
    void replyHasRoomForTheLongestVerifierOfTheFlavor(int flavor, int verifierBytes) {
        XdrMessage credential =
                flavor == 6 ? XdrMessage.gss(1, 0, 1) : XdrMessage.empty().words(flavor, 0);
        ByteBuf call = XdrMessage.callWith(100003, 3, 1, credential).opaque(32).buf();

        assertThat(bounds(call).maxBytes()).isEqualTo(24 + 88 + verifierBytes);
    }

    /** Worked from the definitions of RFC 1813: 24 octets of RPC header, then the status and the longer arm. */
    @ParameterizedTest
    @CsvSource({
        "0, 32", // NULL: the longest failure, PROG_MISMATCH
        "1, 112", // GETATTR
        "2, 144", // SETATTR: 4 + 28 + 88
        "3, 272", // LOOKUP: 4 + 68 + 88 + 88
        "4, 120", // ACCESS
        "5, 4216", // READLINK: 4 + 88 + 4 + 4096
        "7, 160", // WRITE: 4 + 116 + 4 + 4 + 8
        "8, 304", // CREATE: 4 + 72 + 88 + 116
        "9, 304", // MKDIR
        "10, 304", // SYMLINK
        "11, 304", // MKNOD
        "12, 144", // REMOVE
        "13, 144", // RMDIR
        "14, 260", // RENAME: 4 + 116 + 116
        "15, 232", // LINK: 4 + 88 + 116
        "18, 168", // FSSTAT: 4 + 88 + 52
        "19, 164", // FSINFO: 4 + 88 + 48
        "20, 140", // PATHCONF: 4 + 88 + 24
        "21, 152" // COMMIT: 4 + 116 + 8
    })
    @Requirement({"V1-130"})
    void replyIsBoundedByItsDefinition(int procedure, int bytes) {
        ByteBuf call = call(procedure).opaque(32).zeros(30).buf();

        assertThat(bounds(call)).isEqualTo(new ReplyBounds(bytes, procedure == READLINK ? List.of(4096) : List.of()));
    }

    @Test
    void listsOfDirectoriesAreBoundedByTheirCounts() {
        ByteBuf readDir = call(16).opaque(32).zeros(4).words(8192).buf();
        ByteBuf readDirPlus = call(17).opaque(32).zeros(4).words(512, 32768).buf();

        assertThat(bounds(readDir)).isEqualTo(new ReplyBounds(24 + 4 + 88 + 16 + 8192, List.of()));
        assertThat(bounds(readDirPlus)).isEqualTo(new ReplyBounds(24 + 4 + 88 + 16 + 32768, List.of()));
    }

    @Test
    void callsThatMakeNoSenseHaveNoBounds() {
        assertThat(bounds(call(READ).opaque(32).words(0, 0).buf())).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(call(READ).opaque(32).words(0, 0, -1).buf())).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(call(READ).opaque(32).words(0, 0, 0x7fffffff).buf())).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(call(READ).opaque(65).words(0, 0, 100).buf())).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(call(22).zeros(40).buf())).isEqualTo(ReplyBounds.UNKNOWN);
    }

    @Test
    @Requirement({"V1-028"})
    void itemThatIsNotWholeIsNotReducible() {
        ByteBuf call = write(101).buf();
        for (int bytes = 40; bytes < call.readableBytes(); bytes++) {
            assertThat(arguments(call.slice(0, bytes))).as("%d octets", bytes).isEmpty();
        }
        ByteBuf reply = readReply(true).opaque(101).buf();
        for (int bytes = 0; bytes < reply.readableBytes(); bytes++) {
            assertThat(results(READ, reply.slice(0, bytes), WHOLE))
                    .as("%d octets", bytes)
                    .isEmpty();
        }
    }
}
