// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.nettyrdma.examples.echo.EchoClient;
import io.nettyrdma.examples.echo.EchoServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every command of {@code examples/run} in a README works as it stands there, but for ports and placeholders. */
class ReadmeCommandsTest {

    private static final Pattern COMMAND = Pattern.compile("(?m)(?:^|`)examples/run ([^`#\\n]+)");
    private static final Pattern PROGRAM = Pattern.compile("(?m)^java (-cp .*) (\\S+)$");

    @TempDir
    Path directory;

    private static String documents() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.find(
                Path.of("../.."), 2, (path, attributes) -> path.toString().endsWith(".md"))) {
            for (Path file : files.toList()) {
                text.append(Files.readString(file)).append('\n');
            }
        }
        return text.toString();
    }

    private static Set<String> commands() throws IOException {
        Set<String> commands = new TreeSet<>();
        COMMAND.matcher(documents())
                .results()
                .forEach(match -> commands.add(match.group(1).strip()));
        return commands;
    }

    /** The command of an example as it stands in a README, without the name of the launcher. */
    private static String[] command(String name) throws IOException {
        List<String> found = commands().stream()
                .filter(command -> (command + " ").startsWith(name + " ") && !command.equals(name))
                .filter(command -> !command.contains("--stream"))
                .toList();
        assertThat(found).as(name).hasSize(1);
        return found.get(0).split(" ");
    }

    private static String run(String[] command, String... more) {
        StringWriter out = new StringWriter();
        CommandLine line = Examples.commandLine();
        line.setOverwrittenOptionsAllowed(true);
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(out));
        String[] arguments = Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
        assertThat(line.execute(arguments)).as(out.toString()).isZero();
        return out.toString();
    }

    private static String[] replaced(String[] command, String... pairs) {
        List<String> words = new ArrayList<>(List.of(command));
        for (int i = 0; i < pairs.length; i += 2) {
            assertThat(words).contains(pairs[i]);
            words.set(words.indexOf(pairs[i]), pairs[i + 1]);
        }
        return words.toArray(String[]::new);
    }

    @Test
    void theseAreAllThereAre() throws IOException {
        Set<String> names = new TreeSet<>();
        commands().forEach(command -> names.add(command.split(" ")[0]));
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "--help",
                        "NAME",
                        "demo",
                        "doctor",
                        "echo-client",
                        "echo-server",
                        "gateway",
                        "grpc-echo",
                        "http-server",
                        "nfs-get",
                        "nfs-null",
                        "nfs-put",
                        "nfs-server",
                        "rpcping");
        assertThat(commands()).contains("--help", "NAME --help", "demo", "echo-server");
    }

    @Test
    void helpIsThereForAllAndEach() {
        assertThat(run(new String[] {"--help"})).contains("echo-server").contains("nfs-get");
        for (String name : Examples.commandLine().getSubcommands().keySet()) {
            assertThat(run(new String[] {name, "--help"})).contains("Usage: examples/run " + name);
        }
    }

    @Test
    void demoEndsWithOk() {
        assertThat(run(new String[] {"demo"})).endsWith("demo: ok" + System.lineSeparator());
    }

    @Test
    void echo() throws Exception {
        try (RunningCommand server = new RunningCommand(new String[] {"echo-server"}, "--port=0")) {
            assertThat(run(command("echo-client"), "--port=" + server.port())).contains("1,000 answered");
        }
    }

    @Test
    void echoOfAStream() throws Exception {
        assertThat(commands()).contains("echo-server --stream", "echo-client --stream --in-flight 16");
        try (RunningCommand server = new RunningCommand("echo-server --stream".split(" "), "--port=0")) {
            String[] client = "echo-client --stream --in-flight 16".split(" ");
            assertThat(run(client, "--port=" + server.port())).contains("1,000 answered");
        }
    }

    @Test
    void grpcEcho() throws Exception {
        assertThat(commands()).contains("grpc-echo server");
        try (RunningCommand server = new RunningCommand("grpc-echo server".split(" "), "--port=0")) {
            assertThat(run(command("grpc-echo client"), "--port=" + server.port()))
                    .contains("1,000 answered");
        }
    }

    @Test
    void clientOverRdmaCallsAServerOverTcpThroughTheGateway() throws Exception {
        try (RunningCommand server = new RunningCommand("grpc-echo server --transport nio --port=0".split(" "))) {
            String[] command = replaced(command("gateway"), "HOST:PORT", "127.0.0.1:" + server.port());
            try (RunningCommand gateway = new RunningCommand(command, "--port=0")) {
                assertThat(run(command("grpc-echo client"), "--port=" + gateway.port()))
                        .contains("1,000 answered");
            }
        }
    }

    @Test
    void httpServerAnswersAClientOfTheJdk() throws Exception {
        Files.writeString(directory.resolve("file"), "content");
        String[] command = replaced(command("http-server"), "DIR", directory.toString());
        try (RunningCommand server = new RunningCommand(command, "--port=0")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/file"))
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .isEqualTo("content");
        }
    }

    @Test
    void nfsNullAndRpcping() throws Exception {
        try (RunningCommand server = new RunningCommand(command("nfs-null"), "--port=0")) {
            assertThat(run(command("rpcping"), "--port=" + server.port())).contains("1,000 answered");
        }
    }

    @Test
    void filesAreCopiedToNfsServerAndBack() throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        Path local = Files.writeString(directory.resolve("local"), "content");
        Path copy = directory.resolve("copy");
        String[] server = replaced(command("nfs-server"), "DIR", export.toString(), "ADDRESS", "127.0.0.1");
        try (RunningCommand running = new RunningCommand(server, "--port=0", "--mount-port=0", "--allow-root")) {
            String port = "--port=" + running.port();
            String mount = "--mount-port=" + running.awaitLine("mountport=").replaceAll(".*mountport=(\\d+).*", "$1");
            String location = "127.0.0.1:/file";
            run(replaced(command("nfs-put"), "LOCAL", local.toString(), "SERVER:/export/file", location), port, mount);
            run(replaced(command("nfs-get"), "SERVER:/export/file", location, "LOCAL", copy.toString()), port, mount);
        }
        assertThat(copy).hasContent("content");
    }

    @Test
    void mountCommandHasAnIpv6AddressInBrackets() throws Exception {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            assertThat(probe.getLocalPort()).isPositive();
        } catch (IOException e) {
            abort("this host has no IPv6");
        }
        String[] server = {"nfs-server", "--allow-root", "--export=" + directory, "--bind=::1", "--port=0"};
        try (RunningCommand running = new RunningCommand(server, "--mount-port=0")) {
            assertThat(running.awaitLine("mountport=")).endsWith(" [::1]:/ /mnt");
        }
    }

    /** The launcher gives Java a locale that has all characters, if that of the user has ASCII only. */
    @Test
    void launcherTakesNamesOfAllCharactersInTheLocaleC() throws Exception {
        Path copy = Files.createDirectories(directory.resolve("examples")).resolve("run");
        Files.copy(Path.of("../run"), copy, StandardCopyOption.COPY_ATTRIBUTES);
        Path bin = Files.createDirectories(directory.resolve("jdk/bin"));
        String java = "#!/bin/sh\n[ \"$1\" = -XshowSettings:properties ] && echo java.specification.version = 17"
                + " || echo \"$LC_ALL\"\n";
        for (String name : new String[] {"java", "mvn"}) {
            Path program = Files.writeString(bin.resolve(name), java);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        }
        ProcessBuilder launcher = new ProcessBuilder("bash", copy.toString(), "nfs-server").redirectErrorStream(true);
        launcher.environment().put("JAVA_HOME", bin.getParent().toString());
        launcher.environment().merge("PATH", bin.toString(), (path, first) -> first + ":" + path);
        launcher.environment().put("LC_ALL", "C");
        Process process = launcher.start();
        assertThat(process.inputReader().lines()).last().isEqualTo("C.UTF-8");
        assertThat(process.waitFor()).isZero();
    }

    /** {@code EchoTest} runs these; here is whether the documents name them and the launcher's class path. */
    @Test
    void programsToCopyAreFoundOnTheClassPathThatTheLauncherMakes() throws IOException {
        List<String> programs = new ArrayList<>();
        PROGRAM.matcher(documents()).results().forEach(match -> {
            assertThat(match.group(1)).isEqualTo("-cp \"examples/basics/target/classes:examples/basics/target/lib/*\"");
            programs.add(match.group(2));
        });
        assertThat(programs).containsExactlyInAnyOrder(EchoServer.class.getName(), EchoClient.class.getName());
        assertThat(Files.readString(Path.of("../run")))
                .contains("lib=$root/examples/cli/target/lib")
                .contains("-cp \"$root/examples/cli/target/classes:$lib/*\"");
    }
}
