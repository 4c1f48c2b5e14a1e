// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.grpc.testing.integration;

import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import org.junit.BeforeClass;
import org.junit.runner.RunWith;
import org.junit.runners.JUnit4;

/** Over TLS of the JDK, with ALPN, by the server's name, which the certificate proves. */
@RunWith(JUnit4.class)
public final class InteropOverTlsTest extends InteropOverTransport {

    private static final String HOST = "localhost";

    private static SslContext ofServer;
    private static SslContext ofClient;

    @BeforeClass
    public static void certify() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .subject("CN=" + HOST)
                .setIsCertificateAuthority(true)
                .addSanDnsName(HOST)
                .buildSelfSigned();
        ofServer = GrpcSslContexts.configure(
                        SslContextBuilder.forServer(
                                certificate.getKeyPair().getPrivate(), certificate.getCertificate()),
                        SslProvider.JDK)
                .build();
        ofClient = GrpcSslContexts.configure(
                        SslContextBuilder.forClient().trustManager(certificate.getCertificate()), SslProvider.JDK)
                .build();
    }

    @Override
    NettyServerBuilder secure(NettyServerBuilder builder) {
        return builder.sslContext(ofServer);
    }

    @Override
    NettyChannelBuilder newClient(InetSocketAddress server) {
        return NettyChannelBuilder.forAddress(HOST, server.getPort()).sslContext(ofClient);
    }
}
