// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * RPC calls, each a future: over RDMA by the handlers of this project, over TCP by record marks (RFC 5531, section 11)
 * and {@link TcpRequester}. The calls, the replies and the handler that answers are the same.
 */
final class RpcLoad extends Workload {

    /** Enough for what is in flight; with many connections nobody would post the default number of receives. */
    private static final RpcRdmaConfig FEW_CREDITS =
            RpcRdmaConfig.builder().creditsGranted(8).creditsRequested(8).build();

    /** All that version 1 moves in chunks is continued, so that rows do not depend on defaults. */
    private static final RpcRdmaConfig VERSION_2 = TestLimits.continuationBytes(RpcRdmaConfig.builder(), 1 << 20)
            .versions(2, 2)
            .build();

    private final Procedure call;
    private final Stack stack;
    private final Scenario scenario;
    private final RpcRdmaConfig config;
    private final RpcService service;
    private final List<ByteBuf> buffers = new ArrayList<>();

    RpcLoad(Procedure call, Stack stack, Scenario scenario) {
        this.call = call;
        this.stack = stack;
        this.scenario = scenario;
        config = stack.isVersionTwo() ? VERSION_2 : scenario.connections() > 1 ? FEW_CREDITS : RpcRdmaConfig.defaults();
        service = new RpcService(call, scenario.sizeBytes());
    }

    @Override
    void initServer(Channel channel) {
        if (stack.keepsMessages()) {
            channel.pipeline().addLast(new RpcRdmaResponderHandler(config));
        } else {
            channel.pipeline().addLast(new RecordMarks.Decoder(), new RecordMarks.Encoder());
        }
        channel.pipeline().addLast(service);
    }

    @Override
    void initClient(Channel channel) {
        if (stack.keepsMessages()) {
            channel.pipeline().addLast(new RpcRdmaRequesterHandler(config));
        } else {
            channel.pipeline().addLast(new RecordMarks.Decoder(), new RecordMarks.Encoder(), new TcpRequester());
        }
        channel.pipeline().addLast(new Client());
    }

    @Override
    void begin(Channel channel) {
        channel.pipeline().get(Client.class).begin(channel);
    }

    @Override
    void forget() {
        super.forget();
        buffers.forEach(ByteBuf::release);
        buffers.clear();
        service.release();
    }

    private final class Client extends ChannelInboundHandlerAdapter {

        private final List<Slot> slots = new ArrayList<>();

        void begin(Channel channel) {
            if (slots.isEmpty()) {
                for (int i = 0; i < scenario.inFlight(); i++) {
                    slots.add(new Slot(channel));
                }
            }
            slots.forEach(Slot::next);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            trips.fail(cause);
        }
    }

    /** One call after the other. */
    private final class Slot implements FutureListener<ByteBuf> {

        private final Channel channel;
        private final Function<RpcRdmaCall, Future<ByteBuf>> requester;
        private final ByteBuf buffer;
        private int xid;
        private long sentAt;

        Slot(Channel channel) {
            this.channel = channel;
            if (stack.keepsMessages()) {
                requester = RpcRdmaRequester.of(channel)::call;
            } else {
                requester = channel.pipeline().get(TcpRequester.class)::call;
            }
            xid = buffers.size() << 20;
            buffer = RdmaByteBufAllocator.DEFAULT.directBuffer(call.bufferBytes(scenario.sizeBytes()));
            buffers.add(buffer);
        }

        void next() {
            if (trips.takeOne()) {
                sentAt = System.nanoTime();
                requester.apply(call.request(channel.alloc(), ++xid, buffer)).addListener(this);
            }
        }

        @Override
        public void operationComplete(Future<ByteBuf> future) {
            if (!future.isSuccess()) {
                trips.fail(future.cause());
                return;
            }
            ByteBuf reply = future.getNow();
            call.check(reply, xid, scenario.sizeBytes());
            reply.release();
            trips.answered(sentAt);
            next();
        }
    }
}
