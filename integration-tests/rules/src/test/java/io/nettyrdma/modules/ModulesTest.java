// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.modules;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program outside this repository has of the two libraries: on the module path and on the class path. */
class ModulesTest {

    private static final String TRANSPORT = "io.nettyrdma.transport";
    private static final String RPC = "io.nettyrdma.rpc";

    /** What both need while they run, and nothing that tests or the examples need. */
    private static final Set<String> NEEDED = Set.of(
            TRANSPORT,
            RPC,
            "disni",
            "io.netty.buffer",
            "io.netty.codec",
            "io.netty.common",
            "io.netty.resolver",
            "io.netty.transport");

    /** Annotations, which no program needs while it runs. */
    private static final Set<String> NEEDED_TO_COMPILE =
            Stream.concat(NEEDED.stream(), Stream.of("org.jspecify")).collect(Collectors.toUnmodifiableSet());

    private static Map<String, ModuleReference> modules;

    @TempDir
    Path directory;

    @BeforeAll
    static void findModules() {
        modules = Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .map(Path::of)
                .flatMap(path -> modulesIn(path).stream())
                .collect(Collectors.toMap(module -> module.descriptor().name(), module -> module, (one, other) -> one));
        assertThat(modules.keySet()).containsAll(NEEDED_TO_COMPILE);
    }

    /** Some jars of the tests have names of which no module name can be made; those needed do not depend on theirs. */
    private static Set<ModuleReference> modulesIn(Path path) {
        try {
            return ModuleFinder.of(path).findAll();
        } catch (FindException e) {
            return Set.of();
        }
    }

    private static String path(Collection<String> names) {
        return names.stream()
                .map(name -> Path.of(modules.get(name).location().orElseThrow()).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static ModuleDescriptor descriptor(String module) {
        return modules.get(module).descriptor();
    }

    private static List<Path> outside() throws URISyntaxException, IOException {
        Path sources = Path.of(ModulesTest.class.getResource("/outside").toURI());
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    /** What the compiler says of {@code sources}, with its options; nothing if it is content. */
    private String compile(Collection<Path> sources, String... options) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> all = new ArrayList<>(List.of(options));
            all.addAll(List.of("-proc:none", "-Werror", "-d", directory.toString()));
            compiler.getTask(said, files, null, all, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return said.toString();
    }

    private List<String> run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dio.nettyrdma.provider=soft");
        command.addAll(List.of(options));
        Path output = directory.resolve("output");
        Process program = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(program.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("it ends")
                    .isTrue();
        } finally {
            program.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output);
        assertThat(program.exitValue()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    @Test
    void programRunsOnTheModulePath() throws Exception {
        assertThat(compile(outside(), "--module-path", path(NEEDED_TO_COMPILE))).isEmpty();

        assertThat(run(
                        "--module-path",
                        directory + File.pathSeparator + path(NEEDED),
                        "--module",
                        "outside/outside.Main"))
                .contains("provider: soft", "accept status: 0", "module: outside");
    }

    @Test
    void programRunsOnTheClassPath() throws Exception {
        List<Path> sources = outside().stream()
                .filter(file -> !file.endsWith("module-info.java"))
                .toList();
        assertThat(compile(sources, "--class-path", path(NEEDED_TO_COMPILE))).isEmpty();

        assertThat(run("--class-path", directory + File.pathSeparator + path(NEEDED), "outside.Main"))
                .contains("provider: soft", "accept status: 0", "module: null");
    }

    @Test
    void internalPackagesAreOutOfReach() throws Exception {
        assertThat(exported(TRANSPORT))
                .containsExactlyInAnyOrder(
                        "io.nettyrdma.channel",
                        "io.nettyrdma.error",
                        "io.nettyrdma.flow",
                        "io.nettyrdma.metrics",
                        "io.nettyrdma.socket",
                        "io.nettyrdma.verbs",
                        "io.nettyrdma.verbs.spi");
        assertThat(exported(RPC))
                .containsExactlyInAnyOrder(
                        "io.nettyrdma.rpc",
                        "io.nettyrdma.rpc.authentication",
                        "io.nettyrdma.rpc.binding",
                        "io.nettyrdma.rpc.error",
                        "io.nettyrdma.rpc.message",
                        "io.nettyrdma.rpc.metrics",
                        "io.nettyrdma.rpc.observe",
                        "io.nettyrdma.rpc.wire");

        Path intruder = directory.resolve("Intruder.java");
        Files.writeString(intruder, "class Intruder { io.nettyrdma.rpc.engine.ResponderEngine engine; }");
        Path descriptor = directory.resolve("module-info.java");
        Files.writeString(descriptor, "module intruder { requires io.nettyrdma.rpc; }");
        assertThat(compile(List.of(intruder, descriptor), "--module-path", path(NEEDED_TO_COMPILE)))
                .contains("package io.nettyrdma.rpc.engine is not visible");
    }

    private static List<String> exported(String module) {
        return descriptor(module).exports().stream()
                .filter(exported -> !exported.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .toList();
    }

    /** Two lists, one for each path. */
    @Test
    void providersAreTheSameOnBothPaths() throws Exception {
        List<String> ofModule = descriptor(TRANSPORT).provides().stream()
                .filter(provided -> provided.service().equals(RdmaProviderFactory.class.getName()))
                .flatMap(provided -> provided.providers().stream())
                .toList();
        List<String> ofClassPath;
        try (var list = RdmaChannel.class
                .getModule()
                .getResourceAsStream("META-INF/services/" + RdmaProviderFactory.class.getName())) {
            ofClassPath = Arrays.asList(new String(list.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .split("\\s+"));
        }
        assertThat(ofModule).isNotEmpty().containsExactlyInAnyOrderElementsOf(ofClassPath);
        assertThat(RpcRdmaConfig.class.getModule().isNamed())
                .as("these tests run on the class path")
                .isFalse();
    }
}
