// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.CharsetUtil;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Date;

/**
 * A response as one outbound message, so one future says when all of it has left. {@link HttpExchange} writes it in
 * parts.
 *
 * <p>Ownership: of its body, which the exchange takes over.
 */
record Reply(HttpResponse head, ReplyBody body) {

    private static Reply of(HttpResponseStatus status, String mediaType, ReplyBody body) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        head.headers().set(HttpHeaderNames.DATE, DateFormatter.format(new Date()));
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, mediaType);
        head.headers().set("x-content-type-options", "nosniff");
        HttpUtil.setContentLength(head, body.length());
        return new Reply(head, body);
    }

    static Reply ofFile(FileChannel file, String mediaType) throws IOException {
        return of(HttpResponseStatus.OK, mediaType, ReplyBody.of(file));
    }

    /** Takes over the reference to the bytes. */
    static Reply ofBytes(ByteBuf bytes) {
        return of(HttpResponseStatus.OK, MediaTypes.BINARY, ReplyBody.of(bytes));
    }

    /** A status and its name, and nothing about the server. */
    static Reply ofStatus(HttpResponseStatus status) {
        ByteBuf text = Unpooled.copiedBuffer(status + "\n", CharsetUtil.US_ASCII);
        Reply reply = of(status, MediaTypes.TEXT, ReplyBody.of(text));
        if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            reply.head.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        return reply;
    }

    /** Returns the answer to HEAD: the same headers alone. */
    Reply withoutBody() {
        body.close();
        return new Reply(head, ReplyBody.of(Unpooled.EMPTY_BUFFER));
    }

    HttpResponseStatus status() {
        return head.status();
    }
}
