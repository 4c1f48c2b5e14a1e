// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.soft.RawServer;
import io.nettyrdma.verbs.soft.RawServer.Fault;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Users read a sentence about a server that breaks a protocol, which names the server and no class. */
class BrokenServersTest {

    private static final int XID = 0;

    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Examples.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    private void assertSentence(int port) {
        assertThat(err.toString())
                .startsWith("error: ")
                .contains("127.0.0.1:" + port)
                .doesNotContainPattern("\\w\\.\\w+Exception|\\bio\\.netty|\\bjava\\.|ridx|ByteBuf|null")
                .hasLineCount(1);
    }

    /** What Netty logs of it would be an undeclared line of level WARN. */
    @ParameterizedTest
    @EnumSource
    void rpcpingSaysWhatWasWrong(Fault fault) throws Exception {
        // A message that is ignored is followed by nothing but the end of the time.
        int seconds = fault == Fault.NO_RPC_MESSAGE ? 2 : Deadline.SECONDS;
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "the peer may not speak RPC-over-RDMA");
        for (String version : new String[] {"1", "2", "1-2"}) {
            err.getBuffer().setLength(0);
            try (RawServer server = new RawServer(fault)) {
                int exit =
                        run("rpcping", "-p", "" + server.port(), "--timeout=" + seconds, "--rdma-version=" + version);
                assertThat(exit).isOne();
                assertSentence(server.port());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "2, 1"})
    void rpcpingSaysThatThereIsNoCommonVersion(String ours, String theirs) throws Exception {
        String[] command = {"nfs-null", "--port=0", "--rdma-version=" + theirs};
        try (RunningCommand server = new RunningCommand(command)) {
            int port = server.port();
            assertThat(run("rpcping", "-p", "" + port, "--timeout=" + Deadline.SECONDS, "--rdma-version=" + ours))
                    .isOne();
            assertSentence(port);
            assertThat(err.toString()).contains("responder supports versions " + theirs + " to " + theirs);
        }
    }

    /** Messages of the mount daemon behind the record mark and the XID, or with a wrong record mark. */
    @ParameterizedTest
    @CsvSource({
        "80000008 XID 00000001, ends before it is complete",
        "80000018 XID 00000001 00000000 00000000 00000000 00000000, ends before it is complete",
        "80000018 XID 00000001 00000000 00000000 00007000 00000000, is malformed",
        "80000018 XID 00000007 00000000 00000000 00000000 00000000, message of type 7",
        "ffffffff, record of more than 65536",
    })
    void nfsGetSaysWhatWasWrong(String octets, String text, @TempDir Path directory) throws Exception {
        try (ServerSocket daemon = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> answer(daemon, octets));
            int exit = run(
                    "nfs-get",
                    "127.0.0.1:/file",
                    directory.resolve("copy").toString(),
                    "--mount-port=" + daemon.getLocalPort(),
                    "--timeout=" + Deadline.SECONDS);
            served.get(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(exit).isOne();
            assertSentence(daemon.getLocalPort());
            assertThat(err.toString()).contains(text);
        }
    }

    private static void answer(ServerSocket daemon, String octets) {
        try (Socket client = daemon.accept()) {
            client.setSoTimeout(Deadline.MILLIS);
            DataInputStream in = new DataInputStream(client.getInputStream());
            byte[] call = in.readNBytes(in.readInt() & 0x7fff_ffff);
            String xid = HexFormat.of().formatHex(call, XID, XID + Integer.BYTES);
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            out.write(HexFormat.of().parseHex(octets.replace("XID", xid).replace(" ", "")));
            out.flush();
            in.readAllBytes(); // until the client closes
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
