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
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;

/** TLS 1.3 and 1.2 for a server that offers HTTP/2 and HTTP/1.1 by ALPN. */
public final class Tls {

    private static final String REFUSE_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";
    private static final String PASSWORD_VARIABLE = "HTTP_SERVER_PASSWORD";
    private static final int PASSWORD_BYTES = 16;
    private static final int KEYTOOL_SECONDS = 60;

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
     * With a new key and certificate for {@code localhost} and one more address, valid for 30 days, signed by itself.
     * The {@code keytool} of this JDK makes them.
     *
     * @param address numeric address
     * @throws IOException if {@code keytool} is missing or fails
     */
    public static SslContext selfSigned(String address) throws IOException, InterruptedException {
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        Path directory = Files.createTempDirectory("http-server");
        Path store = directory.resolve("key.p12");
        try {
            runKeytool(address, store, password);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream stream = Files.newInputStream(store)) {
                keys.load(stream, password.toCharArray());
            }
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, password.toCharArray());
            return finish(SslContextBuilder.forServer(factory));
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot use the certificate that keytool has made: " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(store);
            Files.delete(directory);
        }
    }

    private static void runKeytool(String address, Path store, String password)
            throws IOException, InterruptedException {
        ProcessBuilder keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1,ip:::1,ip:" + address,
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass:env",
                PASSWORD_VARIABLE);
        keytool.environment().put(PASSWORD_VARIABLE, password); // a command line would show it to other users
        Path output = store.resolveSibling("output");
        try {
            Process process = keytool.redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            if (process.exitValue() != 0) {
                throw new IOException("keytool cannot make a certificate: "
                        + Files.readString(output, StandardCharsets.UTF_8).strip() + "; give --cert and --key");
            }
        } finally {
            Files.deleteIfExists(output);
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
