// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyRemotingClient;
import org.apache.rocketmq.remoting.netty.NettyRemotingServer;
import org.apache.rocketmq.remoting.netty.NettyRequestProcessor;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/** RocketMQ's remoting, which all its programs talk over. */
final class RocketMqProgram {

    private static final int ECHO = 1;
    private static final int BIG_BYTES = 4_000_000;
    private static final int REQUESTS = 1_000;
    private static final int AT_ONCE = 64;
    private static final long DEADLINE_MILLIS = 60_000;

    private RocketMqProgram() {}

    public static void main(String[] arguments) throws Exception {
        NettyServerConfig config = new NettyServerConfig();
        config.setBindAddress("127.0.0.1");
        config.setListenPort(0);
        NettyRemotingServer server = new NettyRemotingServer(config);
        ExecutorService executor = Executors.newFixedThreadPool(2);
        server.registerProcessor(ECHO, new Echo(), executor);
        server.start();
        NettyRemotingClient client = new NettyRemotingClient(new NettyClientConfig());
        client.start();
        String address = "127.0.0.1:" + server.localListenPort();
        Results.print(
                "big",
                Results.sum(client.invokeSync(address, request(Results.bytes(BIG_BYTES)), DEADLINE_MILLIS)
                        .getBody()));
        long sum = Results.sumOf(REQUESTS, AT_ONCE, i -> {
            byte[] body = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
            CompletableFuture<RemotingCommand> response = client.invoke(address, request(body), DEADLINE_MILLIS);
            return response.thenApply(
                    command -> Integer.valueOf(new String(command.getBody(), StandardCharsets.UTF_8)));
        });
        Results.print("sum of requests", sum);
        try {
            client.invokeSync("127.0.0.1:" + Results.closedPort(), request(new byte[0]), DEADLINE_MILLIS);
        } catch (RemotingException e) {
            Results.printFailure("refused", e);
        }
        client.shutdown();
        server.shutdown();
        executor.shutdown();
    }

    private static RemotingCommand request(byte[] body) {
        RemotingCommand command = RemotingCommand.createRequestCommand(ECHO, null);
        command.setBody(body);
        return command;
    }

    private static final class Echo implements NettyRequestProcessor {

        @Override
        public RemotingCommand processRequest(ChannelHandlerContext context, RemotingCommand request) {
            RemotingCommand response = RemotingCommand.createResponseCommand(0, null);
            response.setBody(request.getBody());
            return response;
        }

        @Override
        public boolean rejectRequest() {
            return false;
        }
    }
}
