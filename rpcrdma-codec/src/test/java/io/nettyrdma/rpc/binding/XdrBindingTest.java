// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.XdrType.COUNT;
import static io.nettyrdma.rpc.binding.XdrType.INVALID;
import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.array;
import static io.nettyrdma.rpc.binding.XdrType.expected;
import static io.nettyrdma.rpc.binding.XdrType.list;
import static io.nettyrdma.rpc.binding.XdrType.opaque;
import static io.nettyrdma.rpc.binding.XdrType.optional;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.union;
import static io.nettyrdma.rpc.binding.XdrType.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class XdrBindingTest {

    private static final int PROGRAM = 0x20000099;
    private static final XdrBinding NONE = XdrBinding.of(PROGRAM, 1);
    private static final BitSet WHOLE = new BitSet();
    /** Octets before the arguments, and before the results. */
    private static final int CALL = 40;

    private static final int REPLY = 24;

    private static XdrMessage call() {
        return XdrMessage.call(PROGRAM, 1, 1);
    }

    private static RpcCallHeader header(ByteBuf call) {
        return Objects.requireNonNull(RpcCallHeader.parse(call));
    }

    private static List<XdrItem> arguments(XdrType type, ByteBuf call) {
        return NONE.procedure(1, type, VOID).reducibleArguments(header(call), call);
    }

    private static List<XdrItem> results(XdrType type, ByteBuf reply, BitSet reduced) {
        return NONE.procedure(1, VOID, type).reducibleResults(header(call().buf()), reply, reduced);
    }

    private static ReplyBounds bounds(XdrType arguments, XdrType results, XdrMessage call) {
        ByteBuf message = call.buf();
        return NONE.procedure(1, arguments, results).replyBounds(header(message), message);
    }

    private static BitSet first() {
        return BitSet.valueOf(new long[] {1});
    }

    static Stream<Arguments> shapes() {
        XdrType choice = union(Map.of(0, words(3), 7, struct(opaque(8), reducible())), INVALID);
        return Stream.of(
                Arguments.of(reducible(), call().opaque(9), List.of(new XdrItem(CALL + 4, 9))),
                Arguments.of(struct(words(2), reducible()), call().zeros(2).opaque(8), List.of(item(8, 8))),
                Arguments.of(
                        struct(words(1), reducible(), words(4)), call().zeros(1).opaque(0), List.of(item(4, 0))),
                Arguments.of(
                        struct(opaque(10), reducible(), words(1), reducible(5)),
                        call().opaque(5).opaque(7).zeros(1).opaque(6),
                        List.of(item(12, 7), item(12 + 12 + 4, 6))),
                Arguments.of(
                        struct(array(words(2), 3), reducible()),
                        call().words(3).zeros(6).opaque(1),
                        List.of(item(28, 1))),
                Arguments.of(
                        struct(list(opaque()), reducible()),
                        call().words(1).opaque(3).words(1).opaque(4).words(0).opaque(2),
                        List.of(item(28, 2))),
                Arguments.of(
                        struct(expected(opaque(), 4), reducible()),
                        call().opaque(100).opaque(3),
                        List.of(item(104, 3))),
                Arguments.of(
                        struct(optional(reducible()), reducible()),
                        call().words(0).opaque(3),
                        List.of(item(4, 3))),
                Arguments.of(
                        struct(optional(reducible()), reducible()),
                        call().words(1).opaque(2).opaque(3),
                        List.of(item(4, 2), item(12, 3))),
                Arguments.of(struct(choice, reducible()), call().zeros(4).opaque(3), List.of(item(16, 3))),
                Arguments.of(choice, call().words(7).opaque(8).opaque(3), List.of(item(16, 3))));
    }

    /** At so many octets behind the header. */
    private static XdrItem item(int lengthWord, int bytes) {
        return new XdrItem(CALL + lengthWord + 4, bytes);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    @Requirement({"V1-028", "V1-037", "V1-038"})
    void reducibleArgumentsAreFoundBehindEveryType(XdrType type, XdrMessage call, List<XdrItem> items) {
        assertThat(arguments(type, call.buf())).isEqualTo(items);
        assertThat(arguments(type, call.behind(13))).isEqualTo(items);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void truncatedArgumentsAreReducibleOnlyWithinTheMessage(XdrType type, XdrMessage call, List<XdrItem> items) {
        ByteBuf whole = call.buf();
        for (int bytes = CALL; bytes < whole.readableBytes(); bytes++) {
            int length = bytes;
            List<XdrItem> within = items.stream()
                    .filter(it -> it.offset() + (it.lengthBytes() + 3 & ~3) <= length)
                    .toList();
            assertThat(arguments(type, whole.slice(0, length))).isEqualTo(within);
        }
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of(struct(opaque(8), reducible()), call().opaque(9).opaque(3)),
                Arguments.of(
                        struct(array(words(1), 2), reducible()),
                        call().words(3).zeros(3).opaque(3)),
                Arguments.of(
                        struct(array(words(1)), reducible()), call().words(-1).zeros(3)),
                Arguments.of(
                        struct(optional(words(1)), reducible()),
                        call().words(2, 0).opaque(3)),
                Arguments.of(
                        struct(union(Map.of(1, VOID), INVALID), reducible()),
                        call().words(2).opaque(3)),
                Arguments.of(reducible(), call().words(-4).zeros(2)),
                Arguments.of(reducible(), call().words(Integer.MAX_VALUE).zeros(2)),
                Arguments.of(reducible(8), call().words(9).zeros(2)));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    @Requirement("V1-028")
    void nothingIsReducibleFromWhatCannotBeDecodedOn(XdrType type, XdrMessage call) {
        assertThat(arguments(type, call.buf())).isEmpty();
    }

    @Test
    void damagedMessagesAreReducibleOnlyWithinThemselves() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        XdrType type = struct(array(opaque(20), 4), list(words(1)), optional(reducible()), reducible(8), reducible());
        for (int run = 0; run < 10_000; run++) {
            XdrMessage body =
                    XdrMessage.empty().words(1).opaque(random.nextInt(22)).words(1, 5, 0, 1);
            body.opaque(random.nextInt(30)).opaque(random.nextInt(12)).opaque(random.nextInt(9));
            XdrMessage message = random.nextBoolean() ? call() : XdrMessage.reply();
            boolean isCall = message.bytes() == CALL;
            ByteBuf damaged = message.raw(body).buf();
            damaged.setByte((isCall ? CALL : REPLY) + random.nextInt(body.bytes()), random.nextInt(256));
            damaged.writerIndex(damaged.writerIndex() - random.nextInt(9));
            int end = isCall ? CALL : REPLY;
            XdrType bounded = struct(array(opaque(20), 4), expected(list(words(1)), 8), reducible(8), reducible(9));
            for (XdrItem item : isCall ? arguments(type, damaged) : results(bounded, damaged, WHOLE)) {
                assertThat(item.offset()).as("seed %d", seed).isGreaterThanOrEqualTo(end + 4);
                end = item.offset() + (item.lengthBytes() + 3 & ~3);
            }
            assertThat(end).as("seed %d", seed).isLessThanOrEqualTo(damaged.readableBytes());
        }
    }

    @Test
    @Requirement({"V1-028", "V1-036"})
    void reducibleResultIsFoundWhereItWasTakenOut() {
        XdrType type = result(struct(words(1), reducible(100), words(1)), words(2));

        assertThat(results(type, XdrMessage.reply().zeros(2).opaque(5).zeros(1).buf(), WHOLE))
                .containsExactly(new XdrItem(REPLY + 12, 5));
        assertThat(results(type, XdrMessage.reply().zeros(2).reduced(5).zeros(1).buf(), first()))
                .containsExactly(new XdrItem(REPLY + 12, 5));
        assertThat(results(type, XdrMessage.reply().words(1).zeros(2).buf(), WHOLE))
                .isEmpty();
    }

    @Test
    @Requirement("V1-049")
    void longestReplyFollowsFromTheTypesOfTheResults() {
        ReplyBounds bounds = bounds(VOID, struct(words(2), reducible(101), opaque(5)), call());

        assertThat(bounds.maxBytes()).isEqualTo(REPLY + 8 + 4 + 104 + 4 + 8);
        assertThat(bounds.reducibleBytes()).containsExactly(101);
        assertThat(bounds(VOID, VOID, call()).maxBytes()).isEqualTo(REPLY + 8);
        assertThat(bounds(VOID, expected(list(opaque()), 1000), call()).maxBytes())
                .isEqualTo(REPLY + 1000);
    }

    /** An arm without data may be longer than the rest of the one with data. */
    @Test
    void replyWithoutTheReducibleResultFitsWhereThatResultIsNot() {
        ReplyBounds bounds = bounds(VOID, result(reducible(1000), words(500)), call());

        assertThat(bounds.maxBytes() - 1000).isGreaterThanOrEqualTo(REPLY + 4 + 2000);
        assertThat(bounds.reducibleBytes()).containsExactly(1000);
    }

    @Test
    @Requirement("V1-049")
    void countOfTheArgumentsLimitsTheReducibleResult() {
        XdrType arguments = struct(opaque(64), COUNT, opaque());

        ReplyBounds bounds = bounds(
                arguments, struct(words(2), reducible(100)), call().opaque(3).words(50));
        assertThat(bounds.maxBytes()).isEqualTo(REPLY + 12 + 52);
        assertThat(bounds.reducibleBytes()).containsExactly(50);
        assertThat(bounds(arguments, reducible(100), call().opaque(3).words(-1)).reducibleBytes())
                .containsExactly(100);
        assertThat(bounds(arguments, reducible(), call().opaque(3).words(-1))).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(arguments, reducible(), call().opaque(3))).isEqualTo(ReplyBounds.UNKNOWN);
        assertThat(bounds(arguments, reducible(), call().opaque(65).words(5))).isEqualTo(ReplyBounds.UNKNOWN);
    }

    @Test
    void countOfTheArgumentsLimitsWhatTheResultsLeaveOut() {
        ReplyBounds bounds = bounds(struct(words(1), COUNT), words(5), call().words(0, 4095));

        assertThat(bounds.maxBytes()).isEqualTo(REPLY + 20 + 4096);
        assertThat(bounds.reducibleBytes()).isEmpty();
    }

    @Test
    @Requirement({"V1-136", "V1-146"})
    void onlyDeclaredProceduresInTheClearAreReduced() {
        XdrBinding binding = NONE.procedure(-2, reducible(), VOID).procedure(3, VOID, reducible(4));
        ByteBuf declared = XdrMessage.call(PROGRAM, 1, -2).opaque(5).buf();
        ByteBuf other = XdrMessage.call(PROGRAM, 1, 2).opaque(5).buf();
        ByteBuf protectedCall = XdrMessage.callWith(PROGRAM, 1, -2, XdrMessage.gss(1, 0, 2))
                .opaque(5)
                .buf();

        assertThat(binding.mayReduceArguments(header(declared))).isTrue();
        assertThat(binding.reducibleArguments(header(declared), declared)).hasSize(1);
        for (ByteBuf call : List.of(other, protectedCall)) {
            assertThat(binding.mayReduceArguments(header(call))).isFalse();
            assertThat(binding.reducibleArguments(header(call), call)).isEmpty();
            assertThat(binding.replyBounds(header(call), call)).isEqualTo(ReplyBounds.UNKNOWN);
        }
        assertThat(binding.mayReduceArguments(
                        header(XdrMessage.call(PROGRAM, 1, 3).buf())))
                .isFalse();
    }

    @Test
    void markedProceduresAreRepeatable() {
        XdrBinding binding =
                NONE.procedure(1, VOID, VOID).procedure(2, VOID, VOID).repeatable(2);
        ByteBuf first = call().buf();
        ByteBuf second = XdrMessage.call(PROGRAM, 1, 2).buf();

        assertThat(binding.isRepeatable(header(first), first)).isFalse();
        assertThat(binding.isRepeatable(header(second), second)).isTrue();
    }

    @Test
    void bindingIsFoundByItsProgramAndVersion() {
        UpperLayerBindings bindings = UpperLayerBindings.nfs().with(NONE);

        assertThat(bindings.of(header(call().buf()))).isSameAs(NONE);
        assertThat(bindings.of(header(XdrMessage.call(PROGRAM, 2, 1).buf()))).isSameAs(UpperLayerBinding.NONE);
        refuses(() -> bindings.with(NONE.procedure(1, VOID, VOID)), "program 536871065 version 1");
        assertThat(bindings.with(PROGRAM, 1, UpperLayerBinding.NONE).of(header(call().buf())))
                .isSameAs(UpperLayerBinding.NONE);
    }

    static Stream<Arguments> mistakes() {
        XdrBinding one = NONE.procedure(3, VOID, VOID);
        return Stream.of(
                mistake(() -> one.procedure(3, VOID, words(1)), "procedure 3", "program 536871065", "already"),
                mistake(() -> one.repeatable(4), "procedure 4", "not declared"),
                mistake(() -> one.procedure(1, VOID, opaque()), "procedure 1", "XdrType.opaque(long)"),
                mistake(() -> one.procedure(1, COUNT, list(words(1))), "procedure 1", "expected(XdrType, long)"),
                mistake(() -> one.procedure(1, VOID, reducible()), "procedure 1", "COUNT"),
                mistake(() -> one.procedure(1, VOID, COUNT), "procedure 1", "in its results"),
                mistake(() -> one.procedure(1, struct(COUNT, COUNT), VOID), "procedure 1", "2 COUNT"),
                mistake(
                        () -> one.procedure(1, COUNT, struct(reducible(4), reducible(4))),
                        "procedure 1",
                        "2 reducible results"),
                mistake(() -> one.procedure(1, VOID, opaque(0xffff_ffffL)), "4294967300 bytes", "2147482623"),
                mistake(() -> words(-1), "words: -1", "268435456"),
                mistake(() -> words(1 << 29), "words: 536870912"),
                mistake(() -> opaque(-1), "limit: -1"),
                mistake(() -> opaque(1L << 32), "limit: 4294967296"),
                mistake(() -> reducible(1L << 31), "expectedBytes: 2147483648"),
                mistake(() -> array(words(1), 1L << 32), "limit: 4294967296"),
                mistake(() -> array(VOID), "element: 0 bytes"),
                mistake(() -> array(struct(VOID, expected(VOID, 8))), "element: 0 bytes"),
                mistake(() -> array(reducible(), 2), "1 reducible"),
                mistake(() -> list(optional(COUNT)), "1 COUNT"),
                mistake(() -> expected(reducible(), 8), "1 reducible"),
                mistake(() -> expected(opaque(), -1), "maxBytes: -1"));
    }

    private static Arguments mistake(ThrowingCallable code, String... texts) {
        return Arguments.of(code, List.of(texts));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakesAreRefusedByTheirValues(ThrowingCallable code, List<String> texts) {
        refuses(code, texts.toArray(String[]::new));
    }

    private static void refuses(ThrowingCallable code, String... texts) {
        assertThatIllegalArgumentException().isThrownBy(code).satisfies(it -> assertThat(it.getMessage())
                .contains(texts));
    }
}
