// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static io.nettyrdma.rpc.wire.v2.Words.XID;
import static io.nettyrdma.rpc.wire.v2.Words.message;
import static io.nettyrdma.rpc.wire.v2.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The order of checks, line by line: a message with the defects of two lines gets the answer of the first. */
class Rdma2DecoderTest {

    private static final Rdma2Limits LIMITS = new Rdma2Limits(3, 1, 1, 1000);

    /** An {@code RDMA2_MSG} without chunks and 8 octets of payload. */
    private static final Supplier<ByteBuf> CALL = () -> message(0, 0, 0, 0, 0, 0, XID, 0);

    /** Messages that have each the defect of one line of the table, and the answer it gets. */
    enum Line {
        UNKNOWN_TYPE(message(2, 0, 9), Rdma2Error.INVAL_HTYPE),
        TPMORE_OUTSIDE_OF_PROPERTIES(with(CALL.get(), 4, 4), Rdma2Error.INVAL_HTYPE),
        MORE_IN_A_HEADER_WITHOUT_PAYLOAD(message(1, 2, 0, 1, 0, 7, 8, 0, 0, 0, 0), Rdma2Error.INVAL_CONT),
        NO_LISTS(message(0, 0, 0, 2), Rdma2Error.BAD_XDR),
        NO_LISTS_IN_A_FRAGMENT(message(0, 2, 0, 2), Rdma2Error.BAD_XDR),
        NO_PAYLOAD(message(0, 2, 0, 0, 0, 0), Rdma2Error.BAD_XDR),
        PAYLOAD_WHERE_NONE_IS(message(1, 0, 0, 1, 0, 7, 8, 0, 0, 0, 0, 0, 0), Rdma2Error.BAD_XDR),
        ODD_POSITION(message(0, 0, 0, 1, 5, 7, 8, 0, 0, 0, 0, 0, XID, 0), Rdma2Error.BAD_XDR),
        NOTHING_WHERE_CHUNKS_ARE(message(1, 0, 0, 0, 0, 0), Rdma2Error.BAD_XDR),
        NO_SET(message(5, 0), Rdma2Error.BAD_XDR),
        BAD_VALUE(message(5, 0, 1, 1, 2, 0), Rdma2Error.BAD_PROPVAL),
        CHUNKS_IN_A_FRAGMENT(message(0, 2, 0, 0, 0, 1, 0, 1), Rdma2Error.INVAL_CONT),
        OTHER_XID(with(CALL.get(), 9, 5), Rdma2Error.BAD_XDR),
        REPLY_IN_A_CALL(with(CALL.get(), 10, 1), Rdma2Error.BAD_XDR),
        SHORT_PAYLOAD(message(0, 0, 0, 0, 0, 0, XID), Rdma2Error.BAD_XDR),
        SEGMENTS(
                message(0, 0, 0, 0, 1, 2, 1, 8, 0, 0, 2, 8, 0, 0, 0, 1, 2, 3, 8, 0, 0, 4, 8, 0, 0, XID, 0),
                Rdma2Error.segments(3)),
        READ_CHUNKS(message(0, 0, 0, 1, 4, 7, 4, 0, 0, 1, 8, 7, 4, 0, 0, 0, 0, 0, XID, 0), Rdma2Error.readChunks(1)),
        WRITE_CHUNKS(message(0, 0, 0, 0, 1, 0, 1, 0, 0, 0, XID, 0), Rdma2Error.writeChunks(1)),
        POSITION_BEYOND(message(0, 0, 0, 1, 12, 7, 4, 0, 0, 0, 0, 0, XID, 0), Rdma2Error.BAD_XDR),
        POSITION_ZERO_INLINE(message(0, 0, 0, 1, 0, 7, 4, 0, 0, 0, 0, 0, XID, 0), Rdma2Error.BAD_XDR),
        NO_POSITION_ZERO(message(1, 0, 0, 0, 0, 1, 1, 7, 100, 0, 0), Rdma2Error.BAD_XDR),
        TOO_LONG(message(0, 0, 0, 1, 8, 7, 1001, 0, 0, 0, 0, 0, XID, 0), Rdma2Error.SYSTEM);

        final ByteBuf message;
        final Rdma2Error answer;

        Line(ByteBuf message, Rdma2Error answer) {
            this.message = message;
            this.answer = answer;
        }
    }

    private final Rdma2Decoder decoder = new Rdma2Decoder(LIMITS, Direction.CALL);

    private Rdma2Decoded decode(ByteBuf message) {
        return decoder.decode(message, Rdma2Sequence.NONE);
    }

    private @Nullable Rdma2Error answerTo(ByteBuf message) {
        Rdma2Rejection rejection = (Rdma2Rejection) decode(message);
        assertThat(rejection.reaction()).isEqualTo(rejection.error() == null ? Reaction.DISCARD : Reaction.RDMA2_ERROR);
        return rejection.error();
    }

    @ParameterizedTest
    @EnumSource(Line.class)
    @Requirement({
        "V2-033", "V2-041", "V2-094", "V2-099", "V2-106", "V2-107", "V2-109", "V2-114", "V2-121", "V2-122", "V2-142",
        "V2-144", "V2-146", "V2-148", "V2-150", "V2-184"
    })
    void lineHasItsAnswer(Line line) {
        assertThat(answerTo(line.message)).isEqualTo(line.answer);
    }

    @ParameterizedTest
    @EnumSource(Line.class)
    @Requirement({"V2-100", "V2-114"})
    void whatIsSaidToBeAResponseIsNeverAnswered(Line line) {
        ByteBuf message = with(line.message, 4, line.message.getInt(16) | 1);

        if (decode(message) instanceof Rdma2Rejection rejection) {
            assertThat(rejection.reaction()).isEqualTo(Reaction.DISCARD);
            assertThat(rejection.response()).isTrue();
        } else {
            assertThat(line)
                    .isIn( // rules of calls only
                            Line.REPLY_IN_A_CALL, Line.WRITE_CHUNKS, Line.NO_POSITION_ZERO);
        }
    }

    @ParameterizedTest
    @EnumSource(Line.class)
    void rejectionTellsWhatSequencesDependOn(Line line) {
        Rdma2Rejection rejection = (Rdma2Rejection) decode(line.message);

        assertThat(rejection.xid()).isEqualTo(XID);
        assertThat(rejection.type()).isEqualTo(line.message.getInt(12));
        assertThat(rejection.flags()).isEqualTo(line.message.getInt(16));
    }

    // Step 1

    @Test
    @Requirement({"V2-007", "V2-134"})
    void messageWithoutAWholePrefixIsDiscarded() {
        ByteBuf call = CALL.get();
        for (int length = 0; length < 20; length++) {
            assertThat(decode(call.slice(0, length))).isInstanceOfSatisfying(Rdma2Rejection.class, rejection -> {
                assertThat(rejection.reaction()).isEqualTo(Reaction.DISCARD);
                assertThat(rejection.report().what()).isEqualTo("message too short");
            });
        }
        assertThat(answerTo(call.slice(0, 20))).isEqualTo(Rdma2Error.BAD_XDR);
    }

    @Test
    @Requirement("V2-171")
    void otherVersionIsAnsweredFrom28OctetsOnUnlessItIsAnError() {
        for (long version : new long[] {0, 1, 3, 0xffff_ffffL}) {
            ByteBuf call = with(CALL.get(), 1, version);
            Rdma2Rejection rejection = (Rdma2Rejection) decode(call);

            assertThat(rejection.reaction()).isEqualTo(Reaction.ERR_VERS);
            assertThat(rejection.version()).isEqualTo((int) version);
            assertThat(answerTo(call.slice(0, 27))).isNull();
            assertThat(answerTo(with(call, 3, 4))).isNull();
            assertThat(new Rdma2Decoder(LIMITS, Direction.REPLY).decode(call, Rdma2Sequence.NONE))
                    .isInstanceOfSatisfying(Rdma2Rejection.class, it -> assertThat(it.reaction())
                            .isEqualTo(Reaction.DISCARD));
        }
    }

    @Test
    @Requirement("V2-126")
    void versionErrorOfAllVersionsIsToldFromErrorsOfThisOne() {
        for (Rdma2ErrorCode code : Rdma2ErrorCode.values()) {
            ByteBuf error = message(4, 1, code.number(), 100);

            boolean own = code.arguments() == 1;
            Rdma2Message.ErrorMsg decoded = (Rdma2Message.ErrorMsg) decode(error);
            assertThat(decoded.error())
                    .isEqualTo(own ? new Rdma2Error(code, 100, 0) : Rdma2Error.versions(code.number(), 100));
            assertThat(decoded.credits()).isEqualTo(own ? Words.CREDITS : 0);
            assertThat(decoded.version1Grant()).isEqualTo(own ? 0 : Words.CREDITS);
            assertThat(decode(with(error, 1, 1)))
                    .isEqualTo(Rdma2Message.ErrorMsg.versions(XID, 1, Words.CREDITS, code.number(), 100));
        }
    }

    @Test
    @Requirement({"V2-136", "V2-170"})
    void versionErrorOfAllVersionsIsNoneOnceTheVersionIsFixed() {
        Rdma2Decoder fixed = new Rdma2Decoder(LIMITS, Direction.REPLY);
        fixed.onVersionFixed();
        for (int code : new int[] {0, 1, 2, 9, 77}) {
            ByteBuf error = message(4, 1, code, 80);

            assertThat(decode(error)).isInstanceOf(Rdma2Message.ErrorMsg.class);
            assertThat(fixed.decode(error, Rdma2Sequence.NONE)).isInstanceOf(Rdma2Rejection.class);
            assertThat(fixed.decode(with(error, 1, 1), Rdma2Sequence.NONE)).isInstanceOf(Rdma2Rejection.class);
        }
        assertThat(fixed.decode(message(4, 1, 10, 80), Rdma2Sequence.NONE)).isInstanceOf(Rdma2Message.ErrorMsg.class);
    }

    @Test
    @Requirement({"V2-126", "V2-136"})
    void errorOfThisVersionNamesNoVersionsInTheWrongOrder() {
        assertThat(decode(message(4, 1, 9, 9))).isInstanceOf(Rdma2Message.ErrorMsg.class);
        assertThat(answerTo(message(4, 1, 9, 8))).isNull();
        assertThat(decode(with(message(4, 1, 9, 8), 1, 1)))
                .isEqualTo(Rdma2Message.ErrorMsg.versions(XID, 1, Words.CREDITS, 9, 8));
    }

    // Step 3

    @Test
    @Requirement("V2-123")
    void refreshIsTakenWhateverItsResponseFlagSays() {
        ByteBuf refresh = with(message(1, 0, 77, 0, 0, 0), 0, 0);

        assertThat(decode(refresh)).isEqualTo(new Rdma2Message.CreditGrant(Words.CREDITS));
        assertThat(decode(with(refresh, 4, 1))).isEqualTo(new Rdma2Message.CreditGrant(Words.CREDITS));
        assertThat(answerTo(with(refresh, 0, 1))).isEqualTo(Rdma2Error.BAD_XDR);
    }

    @Test
    void defectiveRefreshIsNotAnswered() {
        ByteBuf refresh = with(message(1, 0, 0, 0, 0, 0), 0, 0);

        assertThat(answerTo(with(refresh, 4, 2))).isNull();
        assertThat(answerTo(with(refresh, 4, 4))).isNull();
        assertThat(answerTo(refresh.copy().writeInt(0))).isNull();
    }

    // Steps 4 to 8

    @Test
    @Requirement({"V2-094", "V2-095"})
    void anyOtherTypeIsUnknown() {
        for (long type : new long[] {2, 3, 6, 77, 0x8000_0000L, 0xffff_ffffL}) {
            assertThat(answerTo(with(CALL.get(), 3, type))).isEqualTo(Rdma2Error.INVAL_HTYPE);
        }
    }

    @Test
    @Requirement("V2-098")
    void reservedFlagsAreIgnored() {
        assertThat(decode(with(CALL.get(), 4, 0xffff_fff8L))).isEqualTo(decode(CALL.get()));
    }

    @Test
    void earlierLineWins() {
        assertThat(answerTo(message(2, 4))).isEqualTo(Rdma2Error.INVAL_HTYPE); // 4 before 5 and 7
        assertThat(answerTo(message(1, 6))).isEqualTo(Rdma2Error.INVAL_HTYPE); // 5 before 6
        assertThat(answerTo(message(1, 2))).isEqualTo(Rdma2Error.INVAL_CONT); // 6 before 7
        ByteBuf chunkAndNothing = message(0, 2, 0, 0, 0, 1, 0);
        assertThat(answerTo(chunkAndNothing)).isEqualTo(Rdma2Error.BAD_XDR); // 7 before 8
        ByteBuf twoChunks = Line.READ_CHUNKS.message;
        assertThat(answerTo(with(twoChunks, 21, 5))).isEqualTo(Rdma2Error.BAD_XDR); // 10 before 12
        assertThat(answerTo(with(twoChunks, 13, 4000))).isEqualTo(Rdma2Error.readChunks(1)); // 12 before 13
        ByteBuf allTooMany = message(
                0, 0, 0, 1, 4, 7, 4, 0, 0, 1, 8, 7, 4, 0, 0, 0, 1, 0, 1, 0, 0, 1, 2, 7, 4, 0, 0, 7, 4, 0, 0, XID, 0);
        assertThat(answerTo(allTooMany)).isEqualTo(Rdma2Error.segments(3));
        ByteBuf chunksTooMany = message(0, 0, 0, 1, 4, 7, 4, 0, 0, 1, 8, 7, 4, 0, 0, 0, 1, 0, 1, 0, 0, 0, XID, 0);
        assertThat(answerTo(chunksTooMany)).isEqualTo(Rdma2Error.readChunks(1));
    }

    @Test
    @Requirement("V2-033")
    void limitsAreInclusive() {
        ByteBuf call =
                message(0, 0, 0, 1, 8, 7, 500, 0, 0, 1, 8, 7, 500, 0, 0, 0, 1, 0, 0, 1, 1, 7, 4000, 0, 0, XID, 0);

        assertThat(decode(call)).isInstanceOf(Rdma2Message.Msg.class);
    }

    @Test
    @Requirement("V2-146")
    void readChunksAreCountedInAnyOrder() {
        ByteBuf call = message(0, 0, 0, 1, 8, 7, 4, 0, 0, 1, 4, 7, 4, 0, 0, 1, 8, 7, 4, 0, 0, 0, 0, 0, XID, 0);

        assertThat(answerTo(call)).isEqualTo(Rdma2Error.readChunks(1));
        Rdma2Decoder two = new Rdma2Decoder(new Rdma2Limits(3, 2, 0, 8), Direction.CALL);
        assertThat(two.decode(call, Rdma2Sequence.NONE)).isInstanceOf(Rdma2Message.Msg.class);
        assertThat(two.decode(with(call, 15, 5), Rdma2Sequence.NONE)) // 4 + 5 reaches beyond 8
                .extracting(it -> ((Rdma2Rejection) it).report().what())
                .isEqualTo("RDMA2_ERR_BAD_XDR, read chunk overlaps the one before");
    }

    // Step 11

    @Test
    @Requirement({"V2-146", "V2-148"})
    void chunksWhereNoneAreSupportedAreRefusedByTheFirstList() {
        Rdma2Decoder none = new Rdma2Decoder(Rdma2Limits.NO_CHUNKS, Direction.CALL);
        ByteBuf all = message(0, 0, 0, 1, 8, 7, 4, 0, 0, 0, 1, 0, 0, 1, 0, XID, 0);
        ByteBuf writes = message(0, 0, 0, 0, 1, 0, 0, 1, 0, XID, 0);
        ByteBuf replyOnly = message(0, 0, 0, 0, 0, 1, 0, XID, 0);

        assertThat(none.decode(all, Rdma2Sequence.NONE))
                .extracting(it -> ((Rdma2Rejection) it).error())
                .isEqualTo(Rdma2Error.readChunks(0));
        assertThat(none.decode(writes, Rdma2Sequence.NONE))
                .extracting(it -> ((Rdma2Rejection) it).error())
                .isEqualTo(Rdma2Error.writeChunks(0));
        assertThat(none.decode(replyOnly, Rdma2Sequence.NONE))
                .extracting(it -> ((Rdma2Rejection) it).error())
                .isEqualTo(Rdma2Error.replyResource(0));
        assertThat(none.decode(CALL.get(), Rdma2Sequence.NONE)).isInstanceOf(Rdma2Message.Msg.class);
    }

    @Test
    void repliesAreNotLimited() {
        ByteBuf reply = message(0, 1, 0, 0, 1, 2, 7, 4, 0, 0, 7, 4, 0, 0, 1, 2, 7, 4, 0, 0, 7, 4, 0, 0, 0, 0, XID, 1);

        assertThat(decode(reply)).isInstanceOf(Rdma2Message.Msg.class);
        assertThat(new Rdma2Decoder(Rdma2Limits.NO_CHUNKS, Direction.CALL).decode(reply, Rdma2Sequence.NONE))
                .isEqualTo(decode(reply));
    }

    // Properties

    @Test
    @Requirement("V2-169")
    void propertiesOfExtensionsMayHaveAnyNumberAndLength() {
        for (long id : new long[] {0, 7, 77, 0x7fff_ffffL, 0x8000_0000L, 0xffff_ffffL}) {
            assertThat(decode(message(5, 0, 1, id, 9, 1, 2, 3))).isInstanceOf(Rdma2Message.ConnProp.class);
        }
        for (int id = 1; id <= 6; id++) {
            assertThat(answerTo(message(5, 0, 1, id, 9, 1, 2, 3))).isEqualTo(Rdma2Error.BAD_PROPVAL);
        }
    }

    // Errors

    @Test
    @Requirement({"V2-136", "V2-170"})
    void errorsThatAreUnknownOrNotOfThisSideAreDiscarded() {
        for (int code : new int[] {0, 11, 50, 77, 99, 101, -1}) {
            assertThat(answerTo(message(4, 1, code))).isNull();
            assertThat(answerTo(message(4, 0, code))).isNull();
        }
        assertThat(answerTo(message(4, 0, 2))).isNull();
        assertThat(answerTo(message(4, 1, 2, 0, 0))).isNull();
        assertThat(answerTo(message(4, 1))).isNull();
        assertThat(decode(message(4, 1, 2))).isInstanceOf(Rdma2Message.ErrorMsg.class);
    }

    // Fragments

    @Test
    void insideASequenceOnlyTheMessageItselfIsChecked() {
        for (Line line : new Line[] {Line.OTHER_XID, Line.SHORT_PAYLOAD, Line.WRITE_CHUNKS, Line.NO_POSITION_ZERO}) {
            for (Rdma2Sequence sequence : new Rdma2Sequence[] {Rdma2Sequence.PAYLOAD, Rdma2Sequence.PROPERTIES}) {
                assertThat(decoder.decode(line.message, sequence)).isInstanceOf(Rdma2Message.class);
            }
        }
        assertThat(decoder.decode(Line.BAD_VALUE.message, Rdma2Sequence.PAYLOAD))
                .isInstanceOf(Rdma2Rejection.class);
    }

    @Test
    @Requirement("V2-040")
    void joinedPayloadIsCheckedAsOneInASingleMessageIs() {
        ByteBuf last = message(0, 0, 0, 1, 12, 7, 4, 0, 0, 0, 0, 0, 9);
        ByteBuf payload = Words.of(XID, 0, 9);

        assertThat(decoder.decode(last, Rdma2Sequence.PAYLOAD)).isInstanceOf(Rdma2Message.Msg.class);
        assertThat(decoder.checkStart(last, payload)).isNull();
        assertThat(decoder.checkStart(last, payload.slice(0, 7))).isNotNull();
        assertThat(decoder.checkStart(last, Words.of(9, 0, 9)))
                .extracting(Rdma2Rejection::error)
                .isEqualTo(Rdma2Error.BAD_XDR);
        assertThat(decoder.checkStart(last, Words.of(XID, 1, 9))).isNotNull();
        assertThat(decoder.checkLast(last, 12)).isNull();
        assertThat(decoder.checkLast(last, 8))
                .extracting(it -> it.report().what())
                .isEqualTo("RDMA2_ERR_BAD_XDR, position beyond the payload stream");
        assertThat(decoder.checkLast(Line.WRITE_CHUNKS.message, 8))
                .extracting(Rdma2Rejection::error)
                .isEqualTo(Rdma2Error.writeChunks(1));
    }

    @Test
    void joinedPropertiesAreDecodedAsThoseOfASingleMessageAre() {
        ByteBuf whole = message(5, 4, 2, 1, 4, 8192, 6, 8, 3, 0x6b657900);
        for (int cut = 20; cut <= whole.readableBytes(); cut++) {
            ByteBuf first = with(whole, 4, 6).slice(0, cut);
            ByteBuf last = Unpooled.wrappedBuffer(whole.slice(0, 20), whole.slice(cut, whole.readableBytes() - cut));

            Rdma2Message.ConnProp part = (Rdma2Message.ConnProp) decode(first);
            assertThat(part.more()).isTrue();
            assertThat(part.properties()).isNull();
            assertThat(decoder.decode(last, Rdma2Sequence.PROPERTIES))
                    .isEqualTo(new Rdma2Message.ConnProp(XID, Words.CREDITS, 4, null));
            assertThat(decoder.decodeJoined(last, whole.slice(20, whole.readableBytes() - 20)))
                    .isEqualTo(decode(whole));
            assertThat(decoder.decodeJoined(last, whole.slice(20, cut - 20)))
                    .isInstanceOf(cut < whole.readableBytes() ? Rdma2Rejection.class : Rdma2Message.class);
        }
    }

    // What is found

    @Test
    void rejectionSaysWhatWhereAndBothValues() {
        assertThat(decode(with(CALL.get(), 7, 5)))
                .hasToString("RDMA2_ERROR: xid 0x1a2b3c01, RDMA2_ERR_BAD_XDR,"
                        + " write list discriminator at octet 28: 5, expected 1");
        assertThat(decode(Line.READ_CHUNKS.message))
                .hasToString("RDMA2_ERROR: xid 0x1a2b3c01, RDMA2_ERR_READ_CHUNKS, too many read chunks at octet 24: 2,"
                        + " at most 1");
        assertThat(decode(Line.TOO_LONG.message))
                .hasToString("RDMA2_ERROR: xid 0x1a2b3c01, RDMA2_ERR_SYSTEM, read chunk too long at octet 24: 1001,"
                        + " RpcRdmaConfig.maxCallBytes is 1000");
        assertThat(decode(with(CALL.get(), 1, 1)))
                .hasToString("ERR_VERS: xid 0x1a2b3c01, unknown version at octet 4: 1, expected 2");
    }

    @Test
    void limitOfAMessageIsNotTakenForThatOfTheNext() {
        assertThat(((Rdma2Rejection) decode(Line.TOO_LONG.message)).report())
                .satisfies(it -> assertThat(it.option()).isEqualTo("maxCallBytes"))
                .satisfies(it -> assertThat(it.ownLimit()).isTrue());
        assertThat(((Rdma2Rejection) decode(Line.ODD_POSITION.message)).report().ownLimit())
                .isFalse();
        assertThat(((Rdma2Rejection) decode(Line.ODD_POSITION.message)).report().option())
                .isNull();
        assertThat(decode(Line.TOO_LONG.message)).isInstanceOf(Rdma2Rejection.class);
        assertThat(decoder.checkStart(CALL.get(), Words.of(1, 2)))
                .extracting(it -> it.report().option())
                .isNull();
    }

    // Content

    @Test
    @Requirement({"V2-046", "V2-050", "V2-179"})
    void emptyChunksUnusedChunksAndEmptySegmentsAreDefectsOfNobody() {
        ByteBuf call = message(
                0, 0, 0, 1, 8, 1, 0, 0, 0, 1, 8, 2, 4, 0, 0, 1, 8, 3, 0, 0, 0, 0, 1, 0, 1, 2, 4, 0, 0, 0, 5, 0, 0, 0, 0,
                1, 1, 6, 0, 0, 0, XID, 0);

        Rdma2Message.Msg decoded =
                (Rdma2Message.Msg) new Rdma2Decoder(Rdma2Limits.NONE, Direction.CALL).decode(call, Rdma2Sequence.NONE);

        assertThat(decoded.chunks().readList())
                .extracting(read -> read.segment().lengthBytes())
                .containsExactly(0L, 4L, 0L);
        assertThat(decoded.chunks().writeList().get(0).isEmpty()).isTrue();
        assertThat(decoded.chunks().writeList().get(1).isEmpty()).isFalse();
        assertThat(decoded.chunks().writeList().get(1).lengthBytes()).isZero();
        assertThat(decoded.chunks().replyChunk().isEmpty()).isFalse();
        assertThat(decoded.chunks().replyChunk().lengthBytes()).isZero();
    }

    @Test
    @Requirement("V2-177")
    void recordMarkInFrontOfTheRpcMessageIsNoXid() {
        assertThat(answerTo(message(0, 0, 0, 0, 0, 0, 0x8000_0008L, XID, 0))).isEqualTo(Rdma2Error.BAD_XDR);
    }

    @Test
    void handleToInvalidateMeansNothingInRepliesAndBeforeTheLastFragment() {
        ByteBuf call = with(CALL.get(), 5, 0xaabb0001L);

        assertThat(((Rdma2Message.Msg) decode(call)).invHandle()).isEqualTo(0xaabb0001);
        assertThat(((Rdma2Message.Msg) decode(with(call, 4, 2))).invHandle()).isZero();
        ByteBuf reply = with(with(call, 4, 1), 10, 1);
        assertThat(((Rdma2Message.Msg) decode(reply)).invHandle()).isZero();
    }
}
