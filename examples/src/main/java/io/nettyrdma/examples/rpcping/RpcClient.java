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
package io.nettyrdma.examples.rpcping;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Everything an RPC-over-RDMA client needs: one handler, and calls as futures. */
public final class RpcClient {

    /** What {@link RpcHeaders#acceptStatus} says of a reply that has none. */
    private static final int NOT_ACCEPTED = -1;

    private final Channel channel;
    private final RpcRdmaRequester requester;
    private final InetSocketAddress server;
    private final long timeoutSeconds;

    private RpcClient(Channel channel, InetSocketAddress server, RpcRdmaConfig config) {
        this.channel = channel;
        this.server = server;
        timeoutSeconds = config.callTimeout().toSeconds();
        requester = RpcRdmaRequester.of(channel);
    }

    /**
     * Connects, for at most as long as a call may take.
     *
     * @param group the event loops, made with {@link io.nettyrdma.channel.RdmaIoHandler#newFactory}
     */
    public static RpcClient connect(EventLoopGroup group, InetSocketAddress address, RpcRdmaConfig config)
            throws Exception {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        config.callTimeout().toMillis())
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel made) {
                        made.pipeline().addLast(new RpcRdmaRequesterHandler(config), new End());
                    }
                });
        return new RpcClient(bootstrap.connect(address).sync().channel(), address, config);
    }

    /** The connection, for its event loop and its end. */
    public Channel channel() {
        return channel;
    }

    /**
     * Calls a procedure without arguments.
     *
     * @return the reply's accept status; fails with a text for users if the call is denied or has no answer in time
     */
    public Future<Integer> call(int program, int version, int procedure) {
        Promise<Integer> status = channel.eventLoop().newPromise();
        ByteBuf call = RpcHeaders.call(channel.alloc(), requester.nextXid(), program, version, procedure);
        requester.call(call).addListener(future -> {
            if (!future.isSuccess()) {
                status.setFailure(unanswered(future.cause()));
                return;
            }
            ByteBuf reply = (ByteBuf) future.getNow();
            try {
                status.setSuccess(status(reply, what(program, version, procedure), Addresses.describe(server)));
            } catch (IOException e) {
                status.setFailure(e);
            } finally {
                reply.release();
            }
        });
        return status;
    }

    private static String what(int program, int version, int procedure) {
        return (procedure == 0 ? "NULL" : "procedure " + procedure) + " of program " + program + " version " + version;
    }

    private static int status(ByteBuf reply, String what, String server) throws IOException {
        int status = RpcHeaders.acceptStatus(reply);
        if (status != NOT_ACCEPTED) {
            return status;
        }
        try {
            RpcMessages.skipToResults(reply, what); // says why it was denied
        } catch (RuntimeException e) {
            throw RpcMessages.makesNoSense(what, server, e);
        }
        throw new IOException("the reply of " + server + " to " + what + " is malformed");
    }

    private Throwable unanswered(Throwable cause) {
        if (cause instanceof CallTimeoutException) {
            return new IOException(Addresses.describeSilence(server, timeoutSeconds), cause);
        }
        if (!(cause instanceof ConnectionLostException)) {
            return new IOException(
                    "call to " + Addresses.describe(server) + " failed: " + PeerText.reason(cause), cause);
        }
        Throwable reason = cause.getCause();
        String text = reason == null ? "it closed the connection" : PeerText.reason(reason);
        return new IOException("no answer from " + Addresses.describe(server) + ": " + text, cause);
    }

    /**
     * The last handler: closes a connection on which something went wrong. The calls that are in flight fail with the
     * reason, so it says nothing.
     */
    private static final class End extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
