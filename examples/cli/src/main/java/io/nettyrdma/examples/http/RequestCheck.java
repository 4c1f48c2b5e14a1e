// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the headers of a request say about whether the server will answer it. */
final class RequestCheck {

    /** Paths that send a body back begin with this. */
    private static final String ECHO = "/echo";

    private RequestCheck() {}

    /** Returns whether the response is the body of the request. */
    static boolean isEcho(HttpRequest request) {
        return request.method().equals(HttpMethod.POST) && request.uri().startsWith(ECHO);
    }

    /**
     * Returns the status to refuse a request with, or null.
     *
     * @param maxBodyBytes longest body
     * @param isHttp1      whether a connection of HTTP/1.1 has brought it, and no stream of HTTP/2
     */
    static @Nullable HttpResponseStatus refusal(HttpRequest request, int maxBodyBytes, boolean isHttp1) {
        if (request.decoderResult().isFailure()) {
            return ofMalformed(request.decoderResult().cause());
        }
        if (request.protocolVersion().majorVersion() != 1) {
            return HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED;
        }
        if (isHttp1 && (lacksHost(request) || hasOtherCodings(request))) {
            return HttpResponseStatus.BAD_REQUEST;
        }
        if (request.headers().contains(HttpHeaderNames.EXPECT) && !HttpUtil.is100ContinueExpected(request)) {
            return HttpResponseStatus.EXPECTATION_FAILED;
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD) && !isEcho(request)) {
            return HttpResponseStatus.METHOD_NOT_ALLOWED;
        }
        try {
            return HttpUtil.getContentLength(request, 0L) > maxBodyBytes
                    ? HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE
                    : null;
        } catch (NumberFormatException e) {
            return HttpResponseStatus.BAD_REQUEST;
        }
    }

    /** HTTP/1.1 demands one header with the host (RFC 9112, section 3.2). */
    private static boolean lacksHost(HttpRequest request) {
        return request.protocolVersion().compareTo(HttpVersion.HTTP_1_0) > 0
                && request.headers().getAll(HttpHeaderNames.HOST).size() != 1;
    }

    /** The codec takes each list that ends with "chunked", and leaves the other codings in the body. */
    private static boolean hasOtherCodings(HttpRequest request) {
        List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        return !codings.isEmpty()
                && (codings.size() > 1 || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0)));
    }

    private static HttpResponseStatus ofMalformed(Throwable cause) {
        if (cause instanceof TooLongHttpHeaderException) {
            return HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
        }
        return cause instanceof TooLongHttpLineException
                ? HttpResponseStatus.REQUEST_URI_TOO_LONG
                : HttpResponseStatus.BAD_REQUEST;
    }
}
