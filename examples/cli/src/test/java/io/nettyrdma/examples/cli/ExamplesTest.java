// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.server.NfsServer;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.verbs.ProviderKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ExamplesTest {

    private static final ConnectionLimit.Settings LIMITS = new ConnectionLimit.Settings(2, 60);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Examples.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    @Test
    void demoPrintsEveryMessageAndEndsWithOk() {
        assertThat(run("demo")).isZero();

        assertThat(out.toString().lines()).last().isEqualTo("demo: ok");
        // Six probes and eight pings, each a call and a reply.
        assertThat(out.toString().lines().filter(line -> line.startsWith("rpcping  -> nfs-null  RDMA_MSG xid ")))
                .hasSize(14);
        assertThat(out.toString().lines().filter(line -> line.startsWith("nfs-null -> rpcping   RDMA_MSG xid ")))
                .hasSize(14);
        assertThat(out.toString()).contains("private data f6ab0e18");
    }

    @Test
    @Requirement("V1-127")
    void nfsHasItsAssignedNumbers() {
        for (String name : new String[] {"nfs-null", "nfs-server", "rpcping", "nfs-get", "nfs-put"}) {
            CommandLine command = Examples.commandLine().getSubcommands().get(name);
            assertThat(command.getCommandSpec().findOption("--port").defaultValueString())
                    .isEqualTo("20049");
        }
        assertThat(RpcPrograms.NFS).isEqualTo(100003);
    }

    private String listen(ServerBootstrap server) throws InterruptedException {
        Channel listener = server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        return String.valueOf(((InetSocketAddress) listener.localAddress()).getPort());
    }

    private static PeerLog noLog() {
        return new PeerLog(line -> {});
    }

    @Test
    void echoClientChecksWhatTheServerSendsBack() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            String port = listen(EchoServerCommand.ofMessages(group, 65_536, LIMITS, noLog()));
            assertThat(run("echo-client", "-p", port, "-c", "500", "-f", "16", "-s", "5000"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("echo: 500 answered");
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void messageThatTheServerDoesNotTakeIsAnsweredByTheOptionsThatHelp() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            String port = listen(EchoServerCommand.ofMessages(group, 1000, LIMITS, noLog()));
            assertThat(run("echo-client", "-p", port, "-c", "1", "-s", "1001")).isOne();
            assertThat(err.toString())
                    .contains("takes messages of up to 1000 bytes", "--max-message=1001", "--size", "--stream")
                    .doesNotContain("Config")
                    .hasLineCount(1);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void echoClientCountsTheBytesOfAStream() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            String port = listen(EchoServerCommand.ofStreams(group, LIMITS, noLog()));
            // Pieces of neither side's buffers: answers arrive cut and joined.
            assertThat(run("echo-client", "--stream", "-p", port, "-c", "500", "-f", "16", "-s", "5003"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("echo: 500 answered");
            assertThat(run("echo-client", "--stream", "-p", port, "-c", "9", "-f", "3", "-s", "1000000"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("echo: 9 answered");
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void streamsAndMessagesDoNotTalkToEachOther() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            String streams = listen(EchoServerCommand.ofStreams(group, LIMITS, noLog()));
            assertThat(run("echo-client", "-p", streams)).isOne();
            assertThat(err.toString()).contains("reject").hasLineCount(1);
            String messages = listen(EchoServerCommand.ofMessages(group, 65_536, LIMITS, noLog()));
            assertThat(run("echo-client", "--stream", "-p", messages)).isOne();
            assertThat(err.toString()).contains("private data").hasLineCount(2);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void rpcpingCountsAnswers() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            String port = nfsNull(group);
            assertThat(run("rpcping", "-p", port, "-c", "2000", "-f", "32"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("rpcping: 2,000 answered");
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void rpcpingOfAProgramThatIsNotThereFailsWithItsAnswer() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            String port = nfsNull(group);
            assertThat(run("rpcping", "-p", port, "--program", "100005")).isOne();
            assertThat(err.toString()).contains("program 100005 version 3 answers PROG_UNAVAIL");
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    private static String nfsNull(EventLoopGroup group) throws InterruptedException {
        Channel server = GuardedNfsNull.start(
                        group,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        RpcRdmaConfig.defaults(),
                        line -> {})
                .sync()
                .channel();
        return String.valueOf(((InetSocketAddress) server.localAddress()).getPort());
    }

    @Test
    void refusedConnectionIsOneLineThatSaysWhere() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThat(run("rpcping", "-p", String.valueOf(port))).isOne();
        assertThat(err.toString())
                .contains("efused")
                .contains(String.valueOf(port))
                .hasLineCount(1);
    }

    @Test
    void nfsPutAndNfsGetCopyThereAndBackThroughNfsServer(@TempDir Path dir) throws Exception {
        byte[] octets = new byte[3_000_001];
        new Random(1).nextBytes(octets);
        Path source = Files.write(dir.resolve("source"), octets);
        Path export = Files.createDirectory(dir.resolve("export"));
        NfsServer.Options options = new NfsServer.Options(export, "127.0.0.1", 0, 0, 2, LIMITS);
        try (NfsServer server = NfsServer.start(options, RpcRdmaConfig.defaults(), noLog())) {
            String[] ports = {
                "--port=" + server.rdmaAddress().getPort(),
                "--mount-port=" + server.mountAddress().getPort()
            };
            assertThat(run("nfs-put", source.toString(), "127.0.0.1:/", ports[0], ports[1]))
                    .as(err.toString())
                    .isZero();
            assertThat(export.resolve("source")).hasSameBinaryContentAs(source);
            assertThat(err.toString()).contains("source: 2.86 MiB (3,000,001 bytes) in ");
            Path copy = dir.resolve("copy");
            assertThat(run("nfs-get", "127.0.0.1:/source", copy.toString(), ports[0], ports[1], "--quiet"))
                    .as(err.toString())
                    .isZero();
            assertThat(copy).hasSameBinaryContentAs(source);
            assertThat(err.toString()).doesNotContain("copy: ");
            assertThat(run("nfs-get", "127.0.0.1:/none", copy.toString(), ports[0], ports[1]))
                    .isOne();
            assertThat(err.toString()).contains("error: LOOKUP of none: NFS3ERR_NOENT (no such file or directory)");
        }
    }

    @Test
    void wrongArgumentsAreALineThatSaysWhatIsWrongAndOneWithTheHelp() {
        String[][] wrong = {
            {"rpcping --in-flight 0", "--in-flight must be 1 to 10000, not 0"},
            {"rpcping --in-flight x", "--in-flight: 'x' is not a number"},
            {"echo-server --port abc", "--port: 'abc' is not a number"},
            {"echo-server --port 99999999999", "--port: '99999999999' is out of range"},
            {"rpcping --port", "Missing required parameter for option '--port' (<port>)"},
            {"rpcping one two", "Unexpected argument: 'two'"},
            {"rpcping --in-fligth=2", "Unknown option: '--in-fligth=2'; did you mean --in-flight?"},
            {"grpc-echo client --size=?", "--size: '?' is not a number"},
            {"rpcping --rdma-version=3", "--rdma-version: '3' is none of 1, 2 and 1-2"},
            {"nfs-get", "Missing required parameters: 'SERVER:/PATH', 'LOCAL'"},
            {"nfs-get server:/file", "Missing required parameter: 'LOCAL'"},
            {"nfs-server", "Missing required option: '--export=DIR'"},
            {"nfs-server --export=", "--export is empty"},
            {"one-sided ", "TEXT is empty"},
            {"echo-servr", "Unexpected argument: 'echo-servr'; did you mean echo-server or"},
        };
        for (String[] line : wrong) {
            err.getBuffer().setLength(0);
            String[] arguments = line[0].split(" ", -1);
            assertThat(run(arguments)).isEqualTo(2);
            assertThat(err.toString()).startsWith("error: " + line[1]).hasLineCount(2);
            assertThat(err.toString().lines())
                    .last()
                    .asString()
                    .startsWith("Try 'examples/run")
                    .endsWith(" --help'");
        }
        err.getBuffer().setLength(0);
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly("error: name an example", "Try 'examples/run --help'");
    }

    @Test
    void filesThatCannotBeUsedAreNamedWithTheReason(@TempDir Path dir) throws Exception {
        Path missing = dir.resolve("missing");
        assertThat(run("nfs-put", missing.toString(), "server:/file")).isEqualTo(2);
        assertThat(err.toString()).startsWith("error: no such file: " + missing);
        err.getBuffer().setLength(0);
        assertThat(run("nfs-put", dir.toString(), "server:/file")).isEqualTo(2);
        assertThat(err.toString()).startsWith("error: not a regular file: " + dir);
        err.getBuffer().setLength(0);
        assertThat(run("doctor", "--report=" + missing.resolve("report"))).isEqualTo(2);
        assertThat(err.toString().strip()).isEqualTo("error: no such file or folder: " + missing.resolve("report"));
    }

    @Test
    void rangesAreThoseOfTheOptionsOfEachExample() {
        assertThat(run("echo-server", "--max-message", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--max-message must be positive, not 0");
        assertThat(run("echo-client", "--size", "3")).isEqualTo(2);
        assertThat(err.toString()).contains("--size must be 4 to 1073741824, not 3");
        assertThat(run("echo-client", "--size", "2147483647")).isEqualTo(2);
        assertThat(err.toString()).contains("--size must be 4 to 1073741824, not 2147483647");
        assertThat(run("echo-client", "--in-flight", "10001")).isEqualTo(2);
        assertThat(err.toString()).contains("--in-flight must be 1 to 10000, not 10001");
        assertThat(run("nfs-get", "server:/file", "copy", "--mount-port", "65536"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--mount-port must be 0 to 65535, not 65536");
    }

    @Test
    void nfsServerWithoutADirectoryToServeSaysSo() {
        assertThat(run("nfs-server", "--export", "/does/not/exist")).isEqualTo(2);
        assertThat(err.toString()).contains("--export /does/not/exist is not a directory");
    }

    @Test
    void nfsServerServesAsRootOnlyIfTheUserSaysSo(@TempDir Path dir) {
        assumeTrue(AuthSys.ownUid() == 0, "it needs root");
        assertThat(run("nfs-server", "--export=" + dir)).isEqualTo(2);
        assertThat(err.toString()).contains("--allow-root", "setpriv");
    }

    @Test
    void gatewayNeedsAHostAndAPort() {
        for (String server : new String[] {"host", ":80", "host:", "host:65536"}) {
            assertThat(run("gateway", server)).isEqualTo(2);
            assertThat(err.toString()).contains(server + " is no HOST:PORT");
        }
    }

    @Test
    void everyExampleTellsItsVersion() {
        for (String name : Examples.commandLine().getSubcommands().keySet()) {
            out.getBuffer().setLength(0);
            assertThat(run(name, "--version")).isZero();
            assertThat(out.toString()).as(name).containsPattern("^netty-rdma \\S+, commit \\S+\n$");
        }
    }

    @Test
    void serverOverADeviceNeedsAnAddressOfIt() throws Exception {
        assertThat(ListenOptions.bind(null, ProviderKind.SOFTWARE)).isEqualTo("127.0.0.1");
        assertThat(ListenOptions.bind("::1", ProviderKind.SOFTWARE)).isEqualTo("::1");
        assertThat(ListenOptions.bind("192.0.2.1", ProviderKind.DEVICE)).isEqualTo("192.0.2.1");
        assertThat(ListenOptions.bind("0.0.0.0", ProviderKind.DEVICE)).isEqualTo("0.0.0.0");
        assertThat(ListenOptions.bind("no..host", ProviderKind.DEVICE))
                .as("unknown until the server binds")
                .isEqualTo("no..host");
        assertThatThrownBy(() -> ListenOptions.bind(null, ProviderKind.DEVICE))
                .isInstanceOf(IOException.class)
                .hasMessage("no RDMA device serves 127.0.0.1: give --bind=ADDRESS of the device's interface, or"
                        + " --bind=0.0.0.0 for all devices");
        for (String loopback : new String[] {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
            assertThatThrownBy(() -> ListenOptions.bind(loopback, ProviderKind.DEVICE))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("no RDMA device serves " + loopback + ": ");
        }
    }

    @Test
    void oneSidedPrintsEachStep() {
        assertThat(run("one-sided", "a text")).isZero();
        assertThat(out.toString()).contains("borrower  writes: a text", "lender    finds: a text");
    }

    @Test
    void helpOfTheDoctorHasItsExitCodes() {
        assertThat(run("doctor", "--help")).isZero();
        assertThat(out.toString()).containsPattern("0 +works\\R +1 +works, but ...\\R +2 +fails because ...");
    }

    @Test
    void everyExampleHasHelp() {
        for (String name : new String[] {
            "demo",
            "echo-server",
            "echo-client",
            "one-sided",
            "doctor",
            "gateway",
            "grpc-echo",
            "nfs-null",
            "nfs-server",
            "rpcping",
            "nfs-get",
            "nfs-put"
        }) {
            assertThat(run(name, "--help")).isZero();
            assertThat(out.toString()).contains("Usage: examples/run " + name, "Exit codes:", "  130");
        }
    }
}
