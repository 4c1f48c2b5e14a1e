// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.agent.ChildJvm.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentTest {

    private static final String ECHO = EchoProgram.class.getName();
    private static final String RDMA_LISTENER = "listener RdmaServerSocketChannel";
    private static final String RDMA_CLIENT = "client RdmaSocketChannel";
    private static final String TCP_LISTENER = "listener NioServerSocketChannel";
    private static final String TCP_CLIENT = "client NioSocketChannel";

    @TempDir
    Path folder;

    private static ChildJvm echo(String options) {
        return new ChildJvm().agent(options).classPath(ChildJvm.withTests(ChildJvm.netty()));
    }

    @Test
    void socketsOfAnUnmodifiedProgramBecomeRdma() throws Exception {
        echo("").with(ECHO, "0")
                .run()
                .succeeded()
                .contains(RDMA_LISTENER, RDMA_CLIENT, "hello")
                .containsLineOf("netty-rdma-agent: ", "TCP sockets of Netty become RDMA")
                .containsLineOf("1 listeners and 1 connections over RDMA, 0 over TCP");
    }

    @Test
    void namedAddressesStayTcp() throws Exception {
        int port = freePort();
        echo("tcp=127.0.0.0/8:" + port)
                .with(ECHO, "" + port)
                .run()
                .succeeded()
                .contains(TCP_LISTENER, TCP_CLIENT, "hello")
                .containsLineOf("become RDMA, but for the addresses 127.0.0.0/8:" + port)
                .containsLineOf("0 listeners and 0 connections over RDMA, 2 over TCP");
    }

    @Test
    void channelsThatExtendThoseOfNioStayTcpAndAreNamedAndCounted() throws Exception {
        Outcome outcome = echo("").with("-Down.channels=true", ECHO, "0")
                .run()
                .succeeded()
                .contains("listener OwnListener", "client OwnClient", "hello")
                .containsLineOf(ECHO + "$OwnListener stays TCP, as it extends NioServerSocketChannel")
                .containsLineOf("0 listeners and 0 connections over RDMA, 2 over TCP");
        assertThat(outcome.lines())
                .filteredOn(line -> line.contains("OwnClient stays TCP"))
                .hasSize(1);
    }

    @Test
    void otherAddressesThanThoseNamedStayTcp() throws Exception {
        int port = freePort();
        echo("rdma=" + port).with(ECHO, "" + port).run().succeeded().contains(RDMA_LISTENER, RDMA_CLIENT, "hello");
        echo("rdma=localhost:" + port + ",rdma=typo.invalid")
                .with(ECHO, "0", "localhost", "" + port)
                .run()
                .succeeded()
                .containsLineOf("the host typo.invalid of the options is unknown here")
                .contains(TCP_LISTENER, RDMA_CLIENT)
                .containsLineOf("ConnectException: Connection refused");
    }

    @Test
    void aWrongOptionEndsTheJvmAndSaysWhatIsExpected() throws Exception {
        Outcome outcome = echo("tcp=1,udp=2").with(ECHO, "0").run();

        assertThat(outcome.status()).isEqualTo(2);
        outcome.containsLineOf("unknown option \"udp=2\"; options: tcp=ADDRESS");
    }

    @ParameterizedTest
    @CsvSource({"4.1.138, one of 4.1 or older", "4.2.6, an older one"})
    void aNettyThatIsTooOldStaysAndItsJarIsNamed(String version, String found) throws Exception {
        new ChildJvm()
                .agent("")
                .classPath(ChildJvm.withTests(ChildJvm.netty(version)))
                .with(ECHO, "0")
                .run()
                .succeeded()
                .contains(TCP_LISTENER, TCP_CLIENT, "hello")
                .containsLineOf(
                        "needs Netty 4.2.7 or newer, and found " + found + " in ",
                        "netty-transport-" + version + ".Final.jar; its sockets stay TCP");
    }

    @Test
    void aPeerThatDoesNotSpeakRdmaIsNamedWithTheOptionThatLeavesItToTcp() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(web));
            answering.start();
            int port = web.getLocalPort();

            echo("").with(ECHO, "0", "localhost", "" + port)
                    .run()
                    .succeeded()
                    .containsLineOf("ConnectException", "localhost", "option tcp=localhost:" + port);

            answering.join();
        }
    }

    @Test
    void aPortThatAClientOfTcpReachesIsNamedWithTheOptionThatLeavesItToTcp() throws Exception {
        String port = "" + freePort();
        echo("tcp=localhost") // the client only: the listener has an address
                .with(ECHO, port, "localhost", port)
                .run()
                .succeeded()
                .contains(RDMA_LISTENER, TCP_CLIENT, "closed")
                .containsLineOf("port " + port + " got a client that does not speak RDMA", "option tcp=" + port);
    }

    private static void answer(ServerSocket web) {
        try (Socket accepted = web.accept()) {
            accepted.getInputStream().read();
            accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCopyOfNettyUnderAnotherNameIsNamed() throws Exception {
        Path jar = folder.resolve("copy.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            put(out, "org/example/io/netty/bootstrap/AbstractBootstrap.class", RenamedNetty.bootstrap());
        }
        new ChildJvm()
                .agent("")
                .classPath(List.of(jar.toString()))
                .with("org.example.io.netty.bootstrap.AbstractBootstrap")
                .run()
                .succeeded()
                .containsLineOf("renamed to org.example.io.netty in file:" + jar, "stay TCP", "if there is one");
    }

    @Test
    void aNettyThatWasLoadedBeforeTheAgentBecomesRdmaToo() throws Exception {
        Path first = folder.resolve("first.jar");
        Manifest manifest = manifest("Premain-Class", LoadsNetty.class.getName());
        new JarOutputStream(Files.newOutputStream(first), manifest).close();

        new ChildJvm()
                .with("-javaagent:" + first)
                .agent("")
                .classPath(ChildJvm.withTests(ChildJvm.netty()))
                .with(ECHO, "0")
                .run()
                .succeeded()
                .contains(RDMA_LISTENER, RDMA_CLIENT, "hello");
    }

    @Test
    @EnabledForJreRange(minVersion = 25)
    void aProgramThatAJvmLoadsFromAnAotCacheBecomesRdma() throws Exception {
        Path program = folder.resolve("echo.jar"); // a cache takes no folders
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(program))) {
            SpringBootJar.putClasses(out, "", EchoProgram.class);
        }
        List<String> classPath = new ArrayList<>(ChildJvm.netty());
        classPath.add(program.toString());
        Path cache = folder.resolve("echo.aot");
        for (String option : List.of("-XX:AOTCacheOutput=", "-XX:AOTCache=")) {
            new ChildJvm()
                    .with("-XX:AOTMode=" + (Files.exists(cache) ? "on" : "auto"), option + cache)
                    .agent("")
                    .classPath(classPath)
                    .with(ECHO, "0")
                    .run()
                    .succeeded()
                    .contains(RDMA_LISTENER, RDMA_CLIENT, "hello");
        }
    }

    @Test
    void aNettyWhoseClassLoaderDoesNotAskThatOfTheClassPathStays() throws Exception {
        new ChildJvm()
                .agent("")
                .classPath(List.of(ChildJvm.classes()))
                .with(
                        IsolatingLauncher.class.getName(),
                        String.join(":", ChildJvm.withTests(ChildJvm.netty())),
                        ECHO,
                        "0")
                .run()
                .succeeded()
                .contains(TCP_LISTENER, TCP_CLIENT, "hello")
                .containsLineOf("the class loader java.net.URLClassLoader", "stay TCP");
    }

    @Test
    void aProgramInAFatJarOfSpringBootBecomesRdma() throws Exception {
        Path jar = folder.resolve("fat.jar");
        Manifest manifest = manifest(
                "Main-Class", "org.springframework.boot.loader.launch.JarLauncher",
                "Start-Class", ECHO,
                "Spring-Boot-Classes", "BOOT-INF/classes/",
                "Spring-Boot-Lib", "BOOT-INF/lib/");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            SpringBootJar.write(out, ChildJvm.netty(), EchoProgram.class);
        }

        new ChildJvm()
                .agent("")
                .with("-jar", jar.toString(), "0")
                .run()
                .succeeded()
                .contains(RDMA_LISTENER, RDMA_CLIENT, "hello");
    }

    private static Manifest manifest(String... entries) {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        for (int i = 0; i < entries.length; i += 2) {
            attributes.putValue(entries[i], entries[i + 1]);
        }
        return manifest;
    }

    static void put(JarOutputStream out, String name, byte[] content) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        CRC32 sum = new CRC32();
        sum.update(content);
        entry.setMethod(ZipEntry.STORED); // as Spring Boot needs it for a jar in a jar
        entry.setSize(content.length);
        entry.setCrc(sum.getValue());
        out.putNextEntry(entry);
        out.write(content);
        out.closeEntry();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
