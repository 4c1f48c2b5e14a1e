// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.nettyrdma.examples.http.Tls;
import java.io.IOException;

/** {@link EchoLoad} below TLS 1.3, by the JDK's engine. */
final class TlsEchoLoad extends EchoLoad {

    /** The server's certificate, made once. */
    private static final class Contexts {
        static final SslContext SERVER = server();
        static final SslContext CLIENT = client();

        private static SslContext server() {
            try {
                return Tls.selfSigned(LoadedConnections.ADDRESS);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static SslContext client() {
            try {
                return SslContextBuilder.forClient()
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .protocols("TLSv1.3")
                        .build();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    TlsEchoLoad(Stack stack, Scenario scenario) {
        super(stack, scenario);
    }

    @Override
    void initServer(Channel channel) {
        channel.pipeline().addLast(Contexts.SERVER.newHandler(channel.alloc()));
        super.initServer(channel);
    }

    @Override
    void initClient(Channel channel) {
        channel.pipeline().addLast(Contexts.CLIENT.newHandler(channel.alloc()));
        super.initClient(channel);
    }
}
