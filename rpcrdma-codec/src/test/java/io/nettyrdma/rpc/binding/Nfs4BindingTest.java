// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.Nfs4Samples.stateid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.Nfs4Samples.Sample;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class Nfs4BindingTest {

    private static final int CREATE = 6;
    private static final int GETATTR = 9;
    private static final int GETFH = 10;
    private static final int PUTFH = 22;
    private static final int READ = 25;
    private static final int READLINK = 27;
    private static final int WRITE = 38;
    private static final int UNKNOWN = 99;

    private static final int UNBOUNDED = 50_000;
    private static final UpperLayerBinding BINDING = NfsBindings.nfs4(UNBOUNDED);
    private static final BitSet WHOLE = new BitSet();

    static Stream<Sample> samples() {
        return Nfs4Samples.all().stream();
    }

    private static XdrMessage compound(int minorVersion, int operations) {
        return XdrMessage.call(100003, 4, 1).opaque(0).words(minorVersion, operations);
    }

    private static XdrMessage compoundReply(int operations) {
        return XdrMessage.reply().words(0).opaque(0).words(operations);
    }

    private static XdrMessage write(int bytes) {
        return XdrMessage.empty().words(WRITE).raw(stateid()).words(0, 0, 2).opaque(bytes);
    }

    private static XdrMessage read(int count) {
        return XdrMessage.empty().words(READ).raw(stateid()).words(0, 0, count);
    }

    private static List<XdrItem> arguments(ByteBuf call) {
        return BINDING.reducibleArguments(Objects.requireNonNull(RpcCallHeader.parse(call)), call);
    }

    private static List<XdrItem> results(ByteBuf reply, BitSet reduced) {
        RpcCallHeader header =
                Objects.requireNonNull(RpcCallHeader.parse(compound(1, 0).buf()));
        return BINDING.reducibleResults(header, reply, reduced);
    }

    private static ReplyBounds bounds(ByteBuf call) {
        return BINDING.replyBounds(Objects.requireNonNull(RpcCallHeader.parse(call)), call);
    }

    @Test
    void everyOperationOfThreeMinorVersionsHasASample() {
        Set<Integer> numbers = new HashSet<>(List.of(READ, READLINK, WRITE));
        samples().forEach(sample -> numbers.add(sample.number()));
        for (int number = 3; number <= 71; number++) {
            assertThat(numbers).contains(number);
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    @Requirement({"V1-028", "V1-038"})
    void dataOfAWriteIsFoundBehindEveryOperation(Sample sample) {
        ByteBuf call = compound(2, 2)
                .words(sample.number())
                .raw(sample.arguments())
                .raw(write(101))
                .buf();

        // RPC header 40, tag 4, minor version 4, count 4; operation 4; operation 4, state 16, offset 8, stable 4,
        // length 4.
        assertThat(arguments(call))
                .containsExactly(new XdrItem(52 + 4 + sample.arguments().bytes() + 36, 101));
    }

    @ParameterizedTest
    @MethodSource("samples")
    @Requirement({"V1-028"})
    void dataOfAReadIsFoundBehindEveryResult(Sample sample) {
        ByteBuf reply = compoundReply(2)
                .words(sample.number())
                .raw(sample.result())
                .words(READ, 0, 1)
                .opaque(101)
                .buf();

        // RPC header 24, status 4, tag 4, count 4; operation 4; operation 4, status 4, end of file 4, length 4.
        assertThat(results(reply, WHOLE))
                .containsExactly(new XdrItem(36 + 4 + sample.result().bytes() + 16, 101));
    }

    @ParameterizedTest
    @MethodSource("samples")
    @Requirement({"V1-130"})
    void sampleResultsAreWithinTheBoundsOfTheirCalls(Sample sample) {
        ByteBuf call =
                compound(2, 1).words(sample.number()).raw(sample.arguments()).buf();
        int reply = compoundReply(1).words(sample.number()).raw(sample.result()).bytes();

        assertThat(bounds(call).maxBytes()).isBetween(reply, 24 + UNBOUNDED + 200);
        assertThat(bounds(call).reducibleBytes()).isEmpty();
    }

    @Test
    @Requirement({"V1-028", "V1-035", "V2-037"})
    void linkTextIsReducibleAndNamesAndAttributesAreNot() {
        ByteBuf call = compound(0, 1)
                .words(CREATE, 5)
                .opaque(30)
                .opaque(8)
                .words(1, 2)
                .opaque(20)
                .buf();

        assertThat(arguments(call)).containsExactly(new XdrItem(52 + 12, 30));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 7, 8, 9})
    @Requirement({"V1-035", "V2-037"})
    void otherArmsOfCreateHaveNothingReducible(int type) {
        // Whichever arm it is, there is no opaque data of 30 octets in it.
        ByteBuf call = compound(0, 1).words(CREATE, type).opaque(30).zeros(10).buf();

        assertThat(arguments(call)).isEmpty();
    }

    @Test
    @Requirement({"V1-036", "V1-038"})
    void everyWriteOfACompoundHasAnItemOfItsOwn() {
        ByteBuf call = compound(1, 3)
                .raw(write(101))
                .words(PUTFH)
                .opaque(27)
                .raw(write(8))
                .buf();

        int second = 52 + 36 + 104 + 4 + 32 + 36;
        assertThat(arguments(call)).containsExactly(new XdrItem(52 + 36, 101), new XdrItem(second, 8));
    }

    @Test
    void tagAndCredentialAreSteppedOver() {
        ByteBuf call = XdrMessage.callWith(100003, 4, 1, XdrMessage.gss(1, 0, 1))
                .opaque(9)
                .words(0, 1)
                .raw(write(5))
                .behind(12);

        assertThat(arguments(call)).containsExactly(new XdrItem(64 + 16 + 8 + 36, 5));
    }

    @ParameterizedTest
    @ValueSource(ints = {UNKNOWN, 0, 1, 2, 72, -1, 10043})
    @Requirement({"V1-028"})
    void nothingIsReducibleBehindAnUnknownOperation(int number) {
        ByteBuf call =
                compound(2, 3).raw(write(4)).words(number).raw(write(101)).buf();
        ByteBuf reply = compoundReply(3)
                .words(READ, 0, 1)
                .opaque(4)
                .words(number, 0)
                .words(READ, 0, 1)
                .opaque(101)
                .buf();

        assertThat(arguments(call)).containsExactly(new XdrItem(88, 4));
        assertThat(results(reply, WHOLE)).containsExactly(new XdrItem(52, 4));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, -1})
    @Requirement({"V1-028"})
    void nothingIsReducibleInLaterMinorVersions(int minorVersion) {
        ByteBuf call = compound(minorVersion, 1).raw(write(101)).buf();

        assertThat(arguments(call)).isEmpty();
        assertThat(bounds(call)).isEqualTo(ReplyBounds.UNKNOWN);
    }

    @Test
    void onlyCompoundsMayReduceArguments() {
        RpcCallHeader compound =
                Objects.requireNonNull(RpcCallHeader.parse(compound(1, 0).buf()));
        RpcCallHeader none = Objects.requireNonNull(
                RpcCallHeader.parse(XdrMessage.call(100003, 4, 0).buf()));

        assertThat(BINDING.mayReduceArguments(compound)).isTrue();
        assertThat(BINDING.mayReduceArguments(none)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    @Requirement({"V1-146"})
    void protectedCompoundsAreNotLookedInto(int service) {
        ByteBuf call = XdrMessage.callWith(100003, 4, 1, XdrMessage.gss(1, 0, service))
                .opaque(0)
                .words(1, 1)
                .raw(write(101))
                .buf();
        RpcCallHeader header = Objects.requireNonNull(RpcCallHeader.parse(call));
        ByteBuf reply = compoundReply(1).words(READ, 0, 1).opaque(5).buf();

        assertThat(BINDING.mayReduceArguments(header)).isFalse();
        assertThat(BINDING.reducibleArguments(header, call)).isEmpty();
        assertThat(BINDING.reducibleResults(header, reply, WHOLE)).isEmpty();
        assertThat(BINDING.replyBounds(header, call)).isEqualTo(ReplyBounds.UNKNOWN);
    }

    private static XdrMessage threeResults(BitSet reduced) {
        XdrMessage reply = compoundReply(5).words(PUTFH, 0).words(READ, 0, 1);
        return optional(
                optional(optional(reply, 5, reduced.get(0)).words(READLINK, 0), 6, reduced.get(1))
                        .words(GETFH, 0)
                        .opaque(7)
                        .words(READ, 0, 0),
                8,
                reduced.get(2));
    }

    private static XdrMessage optional(XdrMessage reply, int bytes, boolean reduced) {
        return reduced ? reply.reduced(bytes) : reply.opaque(bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7})
    @Requirement({"V1-032", "V1-036", "V1-037"})
    void nthItemIsTheNthReadOrReadLinkWhateverIsInChunks(long bits) {
        BitSet reduced = BitSet.valueOf(new long[] {bits});
        int first = 36 + 8 + 16;
        int second = first + (reduced.get(0) ? 0 : 8) + 12;
        int third = second + (reduced.get(1) ? 0 : 8) + 8 + 12 + 16;

        assertThat(results(threeResults(reduced).buf(), reduced))
                .containsExactly(new XdrItem(first, 5), new XdrItem(second, 6), new XdrItem(third, 8));
    }

    @Test
    @Requirement({"V1-035", "V2-037"})
    void failedReadHasNoItem() {
        ByteBuf reply =
                compoundReply(2).words(READ, 0, 1).opaque(5).words(READ, 5).buf();

        assertThat(results(reply, WHOLE)).containsExactly(new XdrItem(52, 5));
    }

    @Test
    @Requirement({"V1-049"})
    void boundsAreTheSumOfTheResults() {
        // RPC header 24, compound 12, tag 8; PUTFH 8; READ 16 and its count; GETFH 8 + 132; READLINK 12 and a path.
        ByteBuf call = XdrMessage.call(100003, 4, 1)
                .opaque(5)
                .words(1, 4)
                .words(PUTFH)
                .opaque(27)
                .raw(read(1001))
                .words(GETFH)
                .words(READLINK)
                .buf();

        int fixed = 24 + 12 + 8 + 8 + 16 + 140 + 12;
        assertThat(bounds(call)).isEqualTo(new ReplyBounds(fixed + 1004 + 4096, List.of(1001, 4096)));
    }

    @Test
    @Requirement({"V1-145", "V2-185"})
    void boundsHaveRoomForAVerifier() {
        ByteBuf call = XdrMessage.callWith(100003, 4, 1, XdrMessage.gss(1, 0, 1))
                .opaque(0)
                .words(1, 1, 24)
                .buf();

        assertThat(bounds(call).maxBytes()).isEqualTo(24 + 400 + 12 + 8);
    }

    @Test
    void nullProcedureHasAnEmptyReply() {
        assertThat(bounds(XdrMessage.call(100003, 4, 0).buf())).isEqualTo(new ReplyBounds(32, List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "0x00000012, 0, 12", // type, size
        "0x00000100, 0, 16", // file system
        "0x00080000, 0, 132", // handle
        "0, 0x00000030, 1032", // owner, group
        "0, 0x00208000, 24", // time of modification; of access
        "0x00001000, 0, 50000", // access control list
        "0x01000000, 0, 50000", // locations
        "0, 0x40000000, 50000" // types of layout
    })
    void attributesAreBoundedByTheRequest(String first, String second, int bytes) {
        ByteBuf call = compound(1, 1)
                .words(GETATTR, 2, Integer.decode(first), Integer.decode(second))
                .buf();

        int counted = bytes == UNBOUNDED ? bytes : 24 + 12 + 8 + 12 + 4 + bytes;
        assertThat(bounds(call).maxBytes()).isEqualTo(bytes == UNBOUNDED ? 24 + 12 + bytes : counted);
    }

    @Test
    void countsOfListsBoundTheirResults() {
        ByteBuf readDir = compound(1, 1)
                .words(26)
                .words(0, 0, 0, 0, 512, 8192)
                .words(1, 2)
                .buf();
        ByteBuf layout = compound(1, 1)
                .words(50)
                .words(0, 1, 1, 0, 0, 0, 0, 0, 0)
                .raw(stateid())
                .words(4096)
                .buf();

        assertThat(bounds(readDir).maxBytes()).isEqualTo(24 + 12 + 8 + 16 + 8192);
        assertThat(bounds(layout).maxBytes()).isEqualTo(24 + 12 + 8 + 20 + 4 + 4096);
    }

    @Test
    void whatHasNoBoundCountsAsConfiguredOnTopOfTheRest() {
        ByteBuf unknown =
                compound(1, 3).raw(read(100)).words(UNKNOWN).raw(read(100)).buf();
        ByteBuf unbounded =
                compound(2, 2).words(54).opaque(4).opaque(4).raw(read(100)).buf();

        assertThat(bounds(unknown)).isEqualTo(new ReplyBounds(24 + 12 + 116 + UNBOUNDED, List.of(100)));
        assertThat(bounds(unbounded)).isEqualTo(new ReplyBounds(24 + 12 + 116 + UNBOUNDED, List.of(100)));
    }

    @Test
    void countBeyondEveryMessageHasNoBound() {
        assertThat(bounds(compound(1, 1).raw(read(-1)).buf())).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(compound(1, 2)
                        .raw(read(0x7fffffff))
                        .raw(read(0x7fffffff))
                        .buf()))
                .isEqualTo(ReplyBounds.UNKNOWN);
    }

    @Test
    void unboundedReplyBytesHasARange() {
        assertThatThrownBy(() -> NfsBindings.nfs4(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NfsBindings.nfs4((1 << 30) + 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Requirement({"V1-028"})
    void itemThatIsNotWholeIsNotReducible() {
        ByteBuf call = compound(1, 1).raw(write(101)).buf();
        for (int bytes = 40; bytes < call.readableBytes(); bytes++) {
            assertThat(arguments(call.slice(0, bytes))).as("%d octets", bytes).isEmpty();
        }
        ByteBuf reply = compoundReply(1).words(READ, 0, 1).opaque(101).buf();
        for (int bytes = 0; bytes < reply.readableBytes(); bytes++) {
            assertThat(results(reply.slice(0, bytes), WHOLE))
                    .as("%d octets", bytes)
                    .isEmpty();
        }
    }
}
