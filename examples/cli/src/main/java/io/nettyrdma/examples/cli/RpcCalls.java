// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.nfs.protocol.AcceptStatus;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import io.nettyrdma.examples.rpcping.RpcClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Makes calls over an {@link RpcClient}, with texts for users about those that fail. */
final class RpcCalls {

    /** What {@link RpcHeaders#acceptStatus} says of a reply that has none. */
    private static final int NOT_ACCEPTED = -1;

    private final Channel channel;
    private final RpcRdmaRequester requester;
    private final InetSocketAddress server;
    private final long timeoutSeconds;

    RpcCalls(RpcClient client, InetSocketAddress server, RpcRdmaConfig config) {
        channel = client.channel();
        requester = RpcRdmaRequester.of(channel);
        this.server = server;
        timeoutSeconds = config.callTimeout().toSeconds();
    }

    /**
     * Calls a procedure without arguments.
     *
     * @param expected the reply's accept status; the future fails, with a text for users, if the call has another one,
     *                 or is denied, or has no answer in time
     */
    Future<Integer> call(int program, int version, int procedure, int expected) {
        Promise<Integer> result = channel.eventLoop().newPromise();
        ByteBuf call = RpcHeaders.call(channel.alloc(), requester.nextXid(), program, version, procedure);
        requester.call(call).addListener(future -> {
            if (!future.isSuccess()) {
                result.setFailure(unanswered(future.cause()));
                return;
            }
            ByteBuf reply = (ByteBuf) future.getNow();
            try {
                int status = status(reply, what(program, version, procedure), Addresses.describe(server));
                if (status != expected) {
                    throw new IOException(
                            "program " + program + " version " + version + " answers " + AcceptStatus.name(status));
                }
                result.setSuccess(status);
            } catch (IOException e) {
                result.setFailure(e);
            } finally {
                reply.release();
            }
        });
        return result;
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
}
