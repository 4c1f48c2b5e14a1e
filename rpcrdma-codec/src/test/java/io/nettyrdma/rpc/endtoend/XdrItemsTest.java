// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Limits;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What stays in the payload stream of an item that is reduced, whatever it is in XDR: on the wire and at both ends. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class XdrItemsTest {

    private static final int PROGRAM = 600_000;
    private static final int XID = 0x0102_0304;
    private static final byte[] TAIL = {1, 2, 3, 4, 5, 6, 7, 8};

    /**
     * An argument, or a result, with its surroundings.
     *
     * @param head   what stands in front of its content
     * @param item   the content
     */
    private record Shape(String name, byte[] head, byte[] item) {

        byte[] behind(byte[] rpcHeader) {
            return octets(rpcHeader, head, item, new byte[-item.length & 3], TAIL);
        }

        byte[] reducedBehind(byte[] rpcHeader) {
            return octets(rpcHeader, head, TAIL);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** The binding of a program with one procedure, whose argument and result have this shape. */
    private record ShapeBinding(Shape shape) implements UpperLayerBinding {

        @Override
        public boolean mayReduceArguments(RpcCallHeader header) {
            return true;
        }

        @Override
        public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
            return List.of(new XdrItem(header.argumentsOffset() + shape.head.length, shape.item.length));
        }

        @Override
        public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
            return new ReplyBounds(shape.behind(replyHeader()).length, List.of(shape.item.length));
        }

        @Override
        public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
            return List.of(new XdrItem(TestProgram.ACCEPTED_REPLY_BYTES + shape.head.length, shape.item.length));
        }
    }

    /** Notes what goes out. */
    @Sharable
    private static final class Recorder extends ChannelOutboundHandlerAdapter {
        final BlockingQueue<byte[]> sends = new LinkedBlockingQueue<>();
        final BlockingQueue<byte[]> writes = new LinkedBlockingQueue<>();

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (message instanceof RdmaWrite write) {
                writes.add(ByteBufUtil.getBytes(write.content()));
            } else if (!(message instanceof RdmaRead)) {
                sends.add(ByteBufUtil.getBytes(
                        message instanceof ByteBufHolder holder ? holder.content() : (ByteBuf) message));
            }
            ctx.write(message, promise);
        }
    }

    private final EventLoopGroup group = LoopsOver.group(2);
    private final Recorder ofRequester = new Recorder();
    private final Recorder ofResponder = new Recorder();
    private final BlockingQueue<byte[]> calls = new LinkedBlockingQueue<>();
    private int version;

    @AfterEach
    void close() throws Exception {
        RdmaLoopback.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the event loops");
    }

    /** {@code opaque<>} of every residue modulo 4, in each version. */
    static Stream<Arguments> opaques() {
        return IntStream.range(5000, 5010)
                .mapToObj(bytes -> new Shape("opaque of " + bytes, word(bytes), pattern(bytes)))
                .flatMap(shape -> Stream.of(Arguments.of(1, shape), Arguments.of(2, shape)));
    }

    @ParameterizedTest
    @MethodSource("opaques")
    @Requirement({
        "V1-003", "V1-032", "V1-037", "V1-038", "V1-042", "V1-054", "V1-056", "V1-057", "V1-090", "V2-031", "V2-034",
        "V2-038", "V2-039", "V2-040", "V2-044", "V2-045", "V2-047", "V2-048", "V2-049", "V2-051", "V2-052", "V2-053",
        "V2-054", "V2-055", "V2-057"
    })
    void lengthOfAnOpaqueStaysAndItsPaddingGoes(int version, Shape shape) throws Exception {
        this.version = version;
        isReducedAndComesBack(shape);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement({"V1-032", "V1-033", "V2-034", "V2-035"})
    void countOfAnArrayOfArraysStaysAndTheArraysGoWithTheirCounts(int version) throws Exception {
        this.version = version;
        byte[] arrays = octets(
                word(4001),
                pattern(4001),
                new byte[3],
                word(0),
                word(2),
                pattern(2),
                new byte[2],
                word(1200),
                pattern(1200));
        isReducedAndComesBack(new Shape("array of 4 opaques", word(4), arrays));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement({"V1-034", "V2-036"})
    void wordThatOptionalDataIsPresentStaysAndTheDataGo(int version) throws Exception {
        this.version = version;
        isReducedAndComesBack(new Shape("optional opaque[6001]", word(1), pattern(6001)));
        isSentWhole(new Shape("absent optional data", word(0), new byte[0]));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    @Requirement("V1-003")
    void shortOpaquesTravelAsTheyAre(int bytes) throws Exception {
        version = 1;
        isSentWhole(new Shape("opaque of " + bytes, word(bytes), pattern(bytes)));
    }

    private void isReducedAndComesBack(Shape shape) throws Exception {
        exchange(shape);

        byte[] call = shape.behind(callHeader());
        assertThat(calls.remove()).isEqualTo(call);
        ByteBuf sent = next(ofRequester);
        ChunkLists chunks = chunks(sent, Direction.CALL);
        assertThat(chunks.readList()).singleElement().satisfies(it -> {
            assertThat(it.position()).isEqualTo(TestProgram.CALL_BYTES + shape.head.length);
            assertThat(it.segment().lengthBytes()).isEqualTo(shape.item.length);
        });
        assertThat(ByteBufUtil.getBytes(sent)).isEqualTo(shape.reducedBehind(callHeader()));

        assertThat(ofResponder.writes.remove()).isEqualTo(shape.item);
        assertThat(ofResponder.writes).isEmpty();
        ByteBuf answered = next(ofResponder);
        ChunkLists returned = chunks(answered, Direction.REPLY);
        assertThat(returned.readList()).isEmpty();
        assertThat(returned.writeList()).isEqualTo(chunks.writeList()); // as long as the item, without padding
        assertThat(returned.writeList().get(0).lengthBytes()).isEqualTo(shape.item.length);
        assertThat(ByteBufUtil.getBytes(answered)).isEqualTo(shape.reducedBehind(replyHeader()));
    }

    private void isSentWhole(Shape shape) throws Exception {
        exchange(shape);

        assertThat(calls.remove()).isEqualTo(shape.behind(callHeader()));
        ByteBuf sent = next(ofRequester);
        assertThat(chunks(sent, Direction.CALL)).isEqualTo(ChunkLists.ABSENT);
        assertThat(ByteBufUtil.getBytes(sent)).isEqualTo(shape.behind(callHeader()));
        ByteBuf answered = next(ofResponder);
        assertThat(chunks(answered, Direction.REPLY)).isEqualTo(ChunkLists.ABSENT);
        assertThat(ByteBufUtil.getBytes(answered)).isEqualTo(shape.behind(replyHeader()));
    }

    /** One call and its reply over RDMA, the reply checked. */
    private void exchange(Shape shape) throws Exception {
        ofRequester.sends.clear(); // refreshes
        ofResponder.sends.clear();
        RpcRdmaConfig config = TestLimits.continuationBytes(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), 0)
                .versions(version, version)
                .bindings(UpperLayerBindings.none().with(PROGRAM, 1, new ShapeBinding(shape)))
                .build();
        Channel listener = RdmaLoopback.listen(
                group,
                pipeline -> pipeline.addLast(ofResponder, new RpcRdmaResponderHandler(config), new Service(shape)));
        Channel channel = RdmaLoopback.connect(
                group,
                listener.localAddress(),
                pipeline -> pipeline.addLast(ofRequester, new RpcRdmaRequesterHandler(config)));

        ByteBuf reply = RdmaLoopback.await(
                        RpcRdmaRequester.of(channel).call(Unpooled.wrappedBuffer(shape.behind(callHeader()))), "call")
                .getNow();

        assertThat(ByteBufUtil.getBytes(reply)).isEqualTo(shape.behind(replyHeader()));
        reply.release();
        RdmaLoopback.await(channel.close(), "close");
        RdmaLoopback.await(listener.close(), "close");
    }

    private final class Service extends SimpleChannelInboundHandler<ByteBuf> {
        private final Shape shape;

        Service(Shape shape) {
            this.shape = shape;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            calls.add(ByteBufUtil.getBytes(call));
            ctx.writeAndFlush(Unpooled.wrappedBuffer(shape.behind(replyHeader())));
        }
    }

    /** The next Send, of version 2 the next that is no property and no refresh. */
    private ByteBuf next(Recorder recorder) {
        ByteBuf sent = Unpooled.wrappedBuffer(recorder.sends.remove());
        while (version == Rdma2.VERSION && sent.getInt(12) != Rdma2.MSG) {
            sent = Unpooled.wrappedBuffer(recorder.sends.remove());
        }
        return sent;
    }

    /** The lists of the header, which is taken off. */
    private ChunkLists chunks(ByteBuf message, Direction direction) {
        if (version == Rdma2.VERSION) {
            Rdma2Message.Msg header = (Rdma2Message.Msg)
                    new Rdma2Decoder(Rdma2Limits.NONE, direction).decode(message, Rdma2Sequence.NONE);
            message.skipBytes(Rdma2Encoder.encodedBytes(header));
            return header.chunks();
        }
        RpcRdmaMessage.Msg header =
                (RpcRdmaMessage.Msg) new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, direction);
        message.skipBytes(RpcRdmaEncoder.encodedBytes(header));
        return header.chunks();
    }

    private static byte[] callHeader() {
        return taken(RpcHeaders.call(Unpooled.buffer().alloc(), XID, PROGRAM, 1, 1));
    }

    private static byte[] replyHeader() {
        return taken(RpcHeaders.accepted(Unpooled.buffer().alloc(), XID, RpcHeaders.SUCCESS));
    }

    private static byte[] taken(ByteBuf message) {
        byte[] octets = ByteBufUtil.getBytes(message);
        message.release();
        return octets;
    }

    private static byte[] octets(byte[]... parts) {
        return taken(Unpooled.wrappedBuffer(parts));
    }

    private static byte[] word(int value) {
        return octets(new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value});
    }

    /** Without zeros, so that padding cannot be taken for it. */
    private static byte[] pattern(int bytes) {
        byte[] octets = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            octets[i] = (byte) (1 + i % 255);
        }
        return octets;
    }
}
