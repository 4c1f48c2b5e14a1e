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
