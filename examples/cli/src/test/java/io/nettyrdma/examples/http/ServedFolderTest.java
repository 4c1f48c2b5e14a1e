// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpMethod;
import io.nettyrdma.deadline.Deadline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ways out of the served folder, of which none leads anywhere. */
class ServedFolderTest {

    private static final String SECRET = "outside of the folder";

    @TempDir
    Path directory;

    private static final String[] MALFORMED = {
        "/../secret",
        "/inner/../../secret",
        "/%2e%2e/secret",
        "/%2E./secret",
        "/inner/%2e%2e/%2e%2e/secret",
        "/..%2fsecret",
        "/.",
        "/./file",
        "/file%00",
        "/file%00.png",
        "/..\\secret",
        "/%c0%ae%c0%ae/secret",
        "/%ff",
        "/%",
        "/%2",
        "/%zz",
        "/%+1",
        "secret",
        "*"
    };

    private static final String[] MISSING = {
        "/link",
        "/link/",
        "/outside/secret",
        "/inner/up/secret",
        "/within",
        "/pipe",
        "/pipe/x",
        "/file/",
        "/file/x",
        "/inner",
        "/inner/",
        "//file",
        "//etc/passwd",
        "/inner//file",
        "/%252e%252e/secret",
        "/..%5csecret",
        "/...",
        "/" + "x".repeat(256),
        "/" + "x/".repeat(1000)
    };

    private void makeFiles(Path folder) throws Exception {
        Files.writeString(directory.resolve("secret"), SECRET);
        Files.writeString(folder.resolve("file"), "content");
        Files.createDirectory(folder.resolve("inner"));
        Files.writeString(folder.resolve("inner/file"), "content");
        Files.createSymbolicLink(folder.resolve("link"), directory.resolve("secret"));
        Files.createSymbolicLink(folder.resolve("outside"), directory);
        Files.createSymbolicLink(folder.resolve("inner/up"), Path.of("../.."));
        Files.createSymbolicLink(folder.resolve("within"), Path.of("file"));
        Process mkfifo = new ProcessBuilder("mkfifo", folder.resolve("pipe").toString()).start();
        assertThat(mkfifo.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(mkfifo.exitValue()).isZero();
    }

    private static Map<String, Integer> statuses(String[] targets, Http1Client client) throws Exception {
        Map<String, Integer> statuses = new TreeMap<>();
        for (String target : targets) {
            client.send(Http1Client.request(HttpMethod.GET, target, new byte[0]));
            Http1Client.Response response = client.response();
            assertThat(response.body()).asString().doesNotContain(SECRET);
            statuses.put(target, response.status());
        }
        return statuses;
    }

    @Test
    void noPathLeadsOut() throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            makeFiles(server.folder);
            assertThat(statuses(MALFORMED, client))
                    .allSatisfy(
                            (target, status) -> assertThat(status).as(target).isIn(400, 404));
            assertThat(statuses(MISSING, client))
                    .allSatisfy(
                            (target, status) -> assertThat(status).as(target).isEqualTo(404));
            assertThat(client.get("/file").status()).isEqualTo(200);
            assertThat(client.get("/inner/file").status()).isEqualTo(200);
            assertThat(server.log).isEmpty();
        }
    }

    /** A user of this machine moves a directory away and puts a link out in its place. */
    @Test
    void directoryThatBecomesALinkIsNotFollowed() throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            Files.createDirectory(server.folder.resolve("inner"));
            Files.writeString(server.folder.resolve("inner/file"), "content");
            Files.writeString(Files.createDirectory(directory.resolve("other")).resolve("file"), SECRET);
            assertThat(client.get("/inner/file").status()).isEqualTo(200);
            Files.move(server.folder.resolve("inner"), directory.resolve("moved"));
            Files.createSymbolicLink(server.folder.resolve("inner"), directory.resolve("other"));
            assertThat(client.get("/inner/file").status()).isEqualTo(404);
        }
    }

    /** The answer names a status and nothing else; the log has the reason. */
    @Test
    void answersSayNothingOfTheServer() throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            Http1Client.Response response = client.get("/missing");
            assertThat(response.body()).asString().isEqualTo("404 Not Found\n");
            assertThat(response.headers().names())
                    .containsExactlyInAnyOrder("date", "content-type", "content-length", "x-content-type-options");
        }
    }
}
