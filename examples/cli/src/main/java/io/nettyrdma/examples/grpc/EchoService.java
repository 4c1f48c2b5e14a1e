// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A service whose only method returns the bytes of its request. It needs no Protocol Buffers and no generated code. */
final class EchoService {

    private static final String NAME = "nettyrdma.Echo";

    static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, "Echo"))
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();

    private EchoService() {}

    static ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(NAME)
                .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, reply) -> {
                    reply.onNext(request);
                    reply.onCompleted();
                }))
                .build();
    }

    /** Messages are plain bytes. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw Status.INTERNAL.withCause(e).asRuntimeException();
            }
        }
    }
}
