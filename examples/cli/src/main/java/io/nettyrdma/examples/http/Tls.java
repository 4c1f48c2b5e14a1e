// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.pkitesting.CertificateBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** TLS 1.3 and 1.2 for a server that offers HTTP/2 and HTTP/1.1 by ALPN. */
public final class Tls {

    private static final String REFUSE_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

    private Tls() {}

    /**
     * With a certificate chain and a private key that a user has.
     *
     * @param certificates in PEM, the server's first
     * @param key          in PEM, PKCS #8, not encrypted
     * @throws IOException if a file is missing or has something else
     */
    public static SslContext of(Path certificates, Path key) throws IOException {
        for (Path file : new Path[] {certificates, key}) {
            if (!Files.isReadable(file)) {
                throw new IOException("cannot read " + file);
            }
        }
        try {
            return finish(SslContextBuilder.forServer(certificates.toFile(), key.toFile()));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the certificate " + certificates + " with the key " + key
                            + ": both need the format PEM, the key PKCS #8 without a password",
                    e);
        }
    }

    /**
     * With a new key and certificate for {@code localhost} and one more address, signed by itself.
     *
     * @param address numeric address
     * @throws IOException if this JDK has not what it takes
     */
    public static SslContext selfSigned(String address) throws IOException {
        try {
            return finish(SslContextBuilder.forServer(new CertificateBuilder()
                    .subject("CN=localhost")
                    .addSanDnsName("localhost")
                    .addSanIpAddress("127.0.0.1")
                    .addSanIpAddress("::1")
                    .addSanIpAddress(address)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned()
                    .toKeyManagerFactory()));
        } catch (Exception e) {
            throw new IOException("cannot make a certificate: " + e.getMessage() + "; give --cert and --key", e);
        }
    }

    /**
     * A client of TLS 1.2 could otherwise repeat the handshake on its connection, and each costs a signature. The JDK
     * has only a switch for the process, which it reads at the first handshake; it keeps the value that a user sets.
     */
    private static void refuseRenegotiation() {
        if (System.getProperty(REFUSE_RENEGOTIATION) == null) {
            System.setProperty(REFUSE_RENEGOTIATION, "true");
        }
    }

    private static SslContext finish(SslContextBuilder builder) throws IOException {
        refuseRenegotiation();
        return builder.sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2,
                        ApplicationProtocolNames.HTTP_1_1))
                .build();
    }
}
