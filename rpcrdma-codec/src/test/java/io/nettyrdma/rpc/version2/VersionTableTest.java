// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The README's table of the version that two sides speak is what they speak. */
@ExtendWith(NoVerbsLeft.class)
class VersionTableTest {

    private static final int CALLS = 500;
    private static final String HEAD = "| client \\ server | ";

    private final EventLoopGroup group = LoopsOver.group(2);
    private final Queue<Integer> agreed = new ConcurrentLinkedQueue<>();

    @AfterEach
    void end() {
        RdmaLoopback.end(group);
    }

    private static List<String> row(String line) {
        return Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList();
    }

    /** Each cell, behind the versions of the client and those of the server. */
    static Stream<Arguments> cells() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("README.md"));
        int head = 0;
        while (!lines.get(head).startsWith(HEAD)) {
            head++;
        }
        List<String> servers = row(lines.get(head));
        List<Arguments> cells = new ArrayList<>();
        for (int i = head + 2; lines.get(i).startsWith("|"); i++) {
            List<String> row = row(lines.get(i));
            for (int column = 1; column < row.size(); column++) {
                cells.add(Arguments.of(row.get(0), servers.get(column), row.get(column)));
            }
        }
        return cells.stream();
    }

    @Test
    void tableHasEachCombinationOnce() throws IOException {
        List<String> ranges = List.of("1", "1, 2", "2");
        List<String> expected = ranges.stream()
                .flatMap(client -> ranges.stream().map(server -> client + " to " + server))
                .toList();

        assertThat(cells().map(cell -> cell.get()[0] + " to " + cell.get()[1])).containsExactlyElementsOf(expected);
    }

    /** Calls are made before the version is known, and behind. */
    @ParameterizedTest
    @MethodSource("cells")
    @Requirement({"V2-020", "V2-024", "V2-025", "V2-026", "V2-029", "V2-138"})
    void bothSidesSpeakWhatTheTableSays(String client, String server, String outcome) throws Exception {
        Channel channel = connect(config(client), config(server));
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);

        if (outcome.equals("calls fail")) {
            Throwable failure = RdmaLoopback.failure(requester.call(call(requester)));
            assertThat(failure instanceof ConnectionLostException ? failure.getCause() : failure)
                    .hasFieldOrPropertyWithValue("code", "ERR_VERS");
        } else {
            TestProgram.check(requester::call, CALLS, () -> call(requester), client + " to " + server);
            assertThat(agreed).hasSize(2).containsOnly(Integer.valueOf(outcome));
        }
        RdmaLoopback.await(channel.close(), "close");
    }

    private static ByteBuf call(RpcRdmaRequester requester) {
        return TestProgram.call(requester.nextXid(), List.of(), List.of(), 4);
    }

    private static RpcRdmaConfig config(String versions) {
        int lowest = versions.charAt(0) - '0';
        int highest = versions.charAt(versions.length() - 1) - '0';
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .bindings(TestProgram.BINDINGS)
                .versions(lowest, highest)
                .build();
    }

    private Channel connect(RpcRdmaConfig client, RpcRdmaConfig server) throws Exception {
        Channel listener = RdmaLoopback.listen(
                group,
                pipeline ->
                        pipeline.addLast(new RpcRdmaResponderHandler(server), TestProgram.server(), new Agreement()));
        return RdmaLoopback.connect(
                group,
                listener.localAddress(),
                pipeline -> pipeline.addLast(new RpcRdmaRequesterHandler(client), new Agreement()));
    }

    /** Notes the version of one side. */
    private final class Agreement extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof RpcRdmaParametersEvent parameters) {
                agreed.add(parameters.version());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {} // the call has it
    }
}
