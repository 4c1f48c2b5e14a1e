// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.examples.nfs.protocol.AuthStatus;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import io.nettyrdma.rpc.message.RpcHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Lets only those calls through to Hadoop's parser that it reads well. The parser believes lengths before it checks
 * them, and drops what it does not understand, so that the client waits for ever; here such calls get the answers of
 * RFC 5531, section 9. Credentials are AUTH_NONE or AUTH_SYS, with the limits of its appendix A.
 */
@Sharable
final class CallGuard extends ChannelInboundHandlerAdapter {

    static final CallGuard INSTANCE = new CallGuard();

    private static final int CALL = 0;
    private static final int RPC_VERSION = 2;
    private static final int TYPE_OFFSET = 4;
    private static final int RPC_VERSION_OFFSET = 8;
    private static final int CREDENTIAL_OFFSET = 24;

    private CallGuard() {}

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf call = (ByteBuf) message;
        if (call.readableBytes() < 2 * Integer.BYTES || call.getInt(TYPE_OFFSET) != CALL) {
            call.release();
            context.close(); // nothing that could be answered
            return;
        }
        @Nullable ByteBuf answer;
        try {
            answer = answer(context, call);
        } catch (IndexOutOfBoundsException e) {
            answer = RpcHeaders.accepted(context.alloc(), RpcHeaders.xid(call), RpcHeaders.GARBAGE_ARGS);
        }
        if (answer == null) {
            context.fireChannelRead(call);
        } else {
            call.release();
            context.writeAndFlush(answer);
        }
    }

    /** What to say instead of executing the call, if anything. */
    private static @Nullable ByteBuf answer(ChannelHandlerContext context, ByteBuf call) {
        if (call.getInt(RPC_VERSION_OFFSET) != RPC_VERSION) {
            return RpcHeaders.rpcMismatch(context.alloc(), RpcHeaders.xid(call));
        }
        int flavor = call.getInt(CREDENTIAL_OFFSET);
        long length = call.getUnsignedInt(CREDENTIAL_OFFSET + Integer.BYTES);
        int body = CREDENTIAL_OFFSET + 2 * Integer.BYTES;
        boolean good = flavor == AuthSys.AUTH_NONE
                ? length == 0
                : flavor == AuthSys.AUTH_SYS && length == AuthSys.bodyBytes(call, body);
        if (!good) {
            return denied(context, call, AuthStatus.AUTH_BADCRED);
        }
        int verifier = body + (int) length;
        return call.getInt(verifier) == AuthSys.AUTH_NONE && call.getInt(verifier + Integer.BYTES) == 0
                ? null
                : denied(context, call, AuthStatus.AUTH_BADVERF);
    }

    private static ByteBuf denied(ChannelHandlerContext context, ByteBuf call, AuthStatus why) {
        return RpcMessages.denied(context.alloc(), RpcHeaders.xid(call), why);
    }
}
