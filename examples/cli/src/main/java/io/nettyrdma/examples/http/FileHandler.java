// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers one request with one {@link Reply}: GET and HEAD with a file, POST with the body that it came with. It opens
 * and reads files on the event loop, which is right for local discs with their page cache and wrong for slow ones.
 *
 * <p>Threading: any event loop.
 */
@Sharable
final class FileHandler extends SimpleChannelInboundHandler<FullHttpRequest> {

    private final ServedFolder folder;
    private final PeerLog log;
    private final @Nullable Consumer<String> access;

    /** @param access gets a line per request, or null */
    FileHandler(ServedFolder folder, PeerLog log, @Nullable Consumer<String> access) {
        this.folder = folder;
        this.log = log;
        this.access = access;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Reply reply;
        try {
            reply = reply(request);
        } catch (RequestPath.MalformedException e) {
            reply = Reply.ofStatus(HttpResponseStatus.BAD_REQUEST);
        } catch (IOException e) {
            log.fault("cannot read the file of " + request.uri() + ": " + PeerText.reason(e));
            reply = Reply.ofStatus(HttpResponseStatus.INTERNAL_SERVER_ERROR);
        }
        if (access != null) {
            access.accept(context.channel().remoteAddress() + " " + request.method() + " " + request.uri() + " "
                    + reply.status().code());
        }
        context.writeAndFlush(reply);
    }

    private Reply reply(FullHttpRequest request) throws IOException, RequestPath.MalformedException {
        if (RequestCheck.isEcho(request)) {
            return Reply.ofBytes(request.content().retain());
        }
        RequestPath path = RequestPath.parse(request.uri());
        @Nullable FileChannel file = folder.find(path.names());
        if (file == null) {
            return Reply.ofStatus(HttpResponseStatus.NOT_FOUND);
        }
        @Nullable Reply reply = null;
        try {
            reply = Reply.ofFile(file, MediaTypes.of(path.last()));
            return reply;
        } finally {
            if (reply == null) {
                file.close();
            }
        }
    }
}
