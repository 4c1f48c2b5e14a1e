// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Connections of one event loop whose peers, of version 2, keep this side waiting (C64). */
abstract class SlowPeers {

    static final int NFS = 100_003;
    static final int NFS_READ = 6;
    static final int UNKNOWN_PROGRAM = 200_000;
    static final int GRANTS_NOTHING = Rdma2.credits(64, 0);

    final MockTicker clock = Ticker.newMockTicker();
    final List<TestPipeline> pipelines = new ArrayList<>();

    @AfterEach
    void end() {
        for (TestPipeline pipeline : pipelines) {
            pipeline.dropSends();
            pipeline.close();
        }
    }

    static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().versions(2, 2);
    }

    /** A server whose client grants no credits but the one that it begins with. */
    TestPipeline server(RpcRdmaConfig.Builder config) {
        return server(config, 0);
    }

    /** @param flags of the client's first message of properties */
    TestPipeline server(RpcRdmaConfig.Builder config, int flags) {
        TestPipeline pipeline = TestPipeline.with(clock, new RpcRdmaResponderHandler(config.build()));
        pipelines.add(pipeline);
        pipeline.channel.pipeline().fireChannelActive();
        pipeline.receive(new Rdma2Message.ConnProp(7, GRANTS_NOTHING, flags, List.of()), "");
        pipeline.dropSends();
        return pipeline;
    }

    static void receive(TestPipeline pipeline, int xid, int flags, String hex) {
        pipeline.receive(new Rdma2Message.Msg(xid, GRANTS_NOTHING, flags, 0, ChunkLists.ABSENT), hex);
    }

    /** A READ of NFS version 3, for a reply of so many bytes. */
    static String readHex(TestPipeline pipeline, int xid, int replyBytes) {
        ByteBuf call = RpcHeaders.call(pipeline.alloc, xid, NFS, 3, NFS_READ);
        return hexAndRelease(call.writeInt(4).writeInt(0x1234_5678).writeLong(0).writeInt(replyBytes));
    }

    /** A call whose reply has a length that no binding knows. */
    static String unknownHex(TestPipeline pipeline, int xid) {
        return hexAndRelease(RpcHeaders.call(pipeline.alloc, xid, UNKNOWN_PROGRAM, 1, 1));
    }

    private static String hexAndRelease(ByteBuf call) {
        String hex = ByteBufUtil.hexDump(call);
        call.release();
        return hex;
    }

    /** Octets of memory that all of them hold. */
    long held() {
        return pipelines.stream()
                .mapToLong(pipeline -> pipeline.alloc.metric().usedDirectMemory()
                        + pipeline.alloc.metric().usedHeapMemory())
                .sum();
    }
}
