/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.rpc.OncRpc;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Everything an RPC-over-RDMA client needs: one handler, and calls as futures. */
final class RpcClient {

    private final Channel channel;
    private final RpcRdmaRequester requester;

    private RpcClient(Channel channel) {
        this.channel = channel;
        requester = RpcRdmaRequester.of(channel);
    }

    static RpcClient connect(EventLoopGroup group, InetSocketAddress address, RpcRdmaConfig config) throws Exception {
        return new RpcClient(new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel made) {
                        made.pipeline().addLast(new RpcRdmaRequesterHandler(config));
                    }
                })
                .connect(address)
                .sync()
                .channel());
    }

    Channel channel() {
        return channel;
    }

    /** Calls a procedure without arguments; the future has the reply's accept status. */
    Future<Integer> call(int program, int version, int procedure) {
        Promise<Integer> status = channel.eventLoop().newPromise();
        ByteBuf call = OncRpc.call(channel.alloc(), requester.nextXid(), program, version, procedure);
        requester.call(call).addListener(future -> {
            if (!future.isSuccess()) {
                status.setFailure(future.cause());
                return;
            }
            ByteBuf reply = (ByteBuf) future.getNow();
            try {
                status.setSuccess(OncRpc.acceptStatus(reply));
            } catch (RuntimeException e) {
                status.setFailure(new IOException("the reply is no accepted RPC reply: " + reply, e));
            } finally {
                reply.release();
            }
        });
        return status;
    }
}
