// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** This requester and this responder, over RDMA, with chunks of all kinds. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class BothEndsOverRdmaTest {

    private final EventLoopGroup group = LoopsOver.group(2);

    @AfterEach
    void end() {
        RdmaLoopback.end(group);
    }

    @ParameterizedTest
    @CsvSource({
        "4096, 1, 1, 1",
        "1024, 1, 1, 1",
        "4096, 3, 3, 1",
        "1024, 0, 0, 1",
        "16384, 2, 0, 1",
        "4096, 1, 1, 2",
        "4096, 3, 3, 2",
        "8192, 0, 0, 2",
        "16384, 2, 0, 2"
    })
    @Requirement({"V1-041", "V1-054", "V1-059", "V1-066", "V1-067", "PD-014", "V2-051", "V2-056", "V2-058", "V2-180"})
    void randomCallsComeBackWhole(int inlineBytes, int readChunks, int writeChunks, int version) throws Exception {
        RpcRdmaConfig config = TestLimits.writeChunksPerCall(
                        TestLimits.readChunksPerCall(
                                TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), readChunks),
                        writeChunks)
                .bindings(TestProgram.BINDINGS)
                .versions(version, version)
                .inlineSendBytes(inlineBytes)
                .inlineReceiveBytes(inlineBytes)
                .build();
        Channel listener = RdmaLoopback.listen(
                group, pipeline -> pipeline.addLast(new RpcRdmaResponderHandler(config), TestProgram.server()));
        RpcRdmaClient client = RdmaLoopback.client(group, listener.localAddress())
                .config(config)
                .build();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TestProgram.check(
                client::call,
                200,
                () -> TestProgram.call(
                        client.nextXid(),
                        lengths(random),
                        lengths(random),
                        random.nextInt(1 << random.nextInt(16)) & ~3),
                "seed " + seed);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    private static List<Integer> lengths(Random random) {
        List<Integer> lengths = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            lengths.add(random.nextInt(1 << random.nextInt(16)));
        }
        return lengths;
    }
}
