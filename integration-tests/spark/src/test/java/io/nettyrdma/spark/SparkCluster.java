// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * A standalone cluster as Spark's scripts start it: a master and two workers, which start an executor each for a job.
 * All are processes.
 */
final class SparkCluster implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final int WORKERS = 2;
    private static final String SETTING = "-Dspark.";

    /** The packages of the JDK that Spark's scripts open. */
    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.reflect",
            "java.io",
            "java.net",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "sun.nio.ch",
            "sun.security.action",
            "sun.util.calendar");

    private static final long DEADLINE_MINUTES = 10;

    private final Path folder;
    private final List<String> options;
    private final List<Process> daemons = new ArrayList<>();
    private final String master;

    /**
     * @param folder  of the home of Spark, and of the output of all processes
     * @param options of all JVMs; settings of Spark are those of the job, too
     */
    SparkCluster(Path folder, List<String> options) throws IOException {
        clear(folder);
        this.folder = Files.createDirectories(folder);
        this.options = options;
        home();
        int port = freePort();
        master = "spark://" + HOST + ':' + port;
        daemons.add(start("master", "org.apache.spark.deploy.master.Master", "--port", "" + port));
        for (int i = 0; i < WORKERS; i++) {
            String name = "worker-" + i;
            daemons.add(start(
                    name,
                    "org.apache.spark.deploy.worker.Worker",
                    "-c",
                    "1",
                    "-m",
                    "2g",
                    "-d",
                    folder.resolve(name).toString(),
                    master));
        }
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Spark wants its jars in one folder. */
    private void home() throws IOException {
        Path jars = Files.createDirectories(folder.resolve("jars"));
        Files.createDirectories(folder.resolve("conf"));
        for (String entry : System.getProperty("java.class.path").split(":")) {
            Path jar = Path.of(entry);
            if (entry.endsWith(".jar") && !entry.contains("/surefire/")) {
                Path link = jars.resolve(jar.getFileName());
                if (!Files.exists(link)) {
                    Files.createSymbolicLink(link, jar);
                }
            }
        }
        try (InputStream log = SparkCluster.class.getResourceAsStream("/spark-log4j2.properties")) {
            Files.write(folder.resolve("conf/log4j2.properties"), log.readAllBytes());
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(folder.resolve("job.jar")))) {
            Path root = Path.of(SparkJob.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath());
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(each -> each.toString().contains("SparkJob"))
                        .toList()) {
                    out.putNextEntry(new ZipEntry(root.relativize(file).toString()));
                    out.write(Files.readAllBytes(file));
                    out.closeEntry();
                }
            }
        }
    }

    private Process start(String name, String main, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("--host", HOST, "--webui-port", "0"));
        all.addAll(List.of(arguments));
        return process(name, "512m", main, all)
                .redirectOutput(folder.resolve(name + ".out").toFile())
                .start();
    }

    private ProcessBuilder process(String name, String heap, String main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-Xmx" + heap);
        for (String each : OPENED) {
            command.add("--add-opens=java.base/" + each + "=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", folder.resolve("conf") + ":" + folder.resolve("jars") + "/*", main));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(folder.resolve(name + ".err").toFile());
        builder.environment().put("SPARK_HOME", folder.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", HOST);
        return builder;
    }

    /**
     * Submits the job and waits for its end.
     *
     * @param onLine gets each line that the job prints
     * @return the results that it printed
     */
    List<String> run(int rows, Consumer<String> onLine) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--master", master, "--class", SparkJob.class.getName()));
        conf(arguments, "spark.executor.memory=1g");
        conf(arguments, "spark.executor.cores=1");
        conf(arguments, "spark.ui.enabled=false");
        conf(arguments, "spark.shuffle.readHostLocalDisk=false"); // else executors of a host share files
        List<String> ofExecutors = new ArrayList<>();
        for (String option : options) {
            if (option.startsWith(SETTING)) {
                conf(arguments, option.substring("-D".length()));
            } else {
                ofExecutors.add(option);
            }
        }
        conf(arguments, "spark.executor.extraJavaOptions=" + String.join(" ", ofExecutors));
        arguments.addAll(List.of(folder.resolve("job.jar").toString(), "" + rows));
        Process driver = process("driver", "1g", "org.apache.spark.deploy.SparkSubmit", arguments)
                .start();
        List<String> results = new ArrayList<>();
        try (BufferedReader out = driver.inputReader()) {
            for (String line; (line = out.readLine()) != null; ) {
                if (line.startsWith(SparkJob.RESULT)) {
                    results.add(line);
                }
                onLine.accept(line);
            }
            if (!driver.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES) || driver.exitValue() != 0) {
                throw new AssertionError("the job failed: " + Files.readString(folder.resolve("driver.err")));
            }
        } finally {
            driver.destroyForcibly();
        }
        return results;
    }

    private static void conf(List<String> arguments, String setting) {
        arguments.addAll(List.of("--conf", setting));
    }

    /** Kills an executor, without a word to anybody. */
    void killExecutor() {
        daemons.stream()
                .flatMap(Process::descendants)
                .filter(process -> process.info().commandLine().orElse("").contains("CoarseGrainedExecutorBackend"))
                .findFirst()
                .orElseThrow()
                .destroyForcibly();
    }

    /** Returns what the driver printed for its user. */
    List<String> driverErrors() throws IOException {
        return Files.readAllLines(folder.resolve("driver.err"));
    }

    @Override
    public void close() {
        daemons.forEach(daemon -> {
            daemon.descendants().forEach(ProcessHandle::destroyForcibly);
            daemon.destroyForcibly();
        });
        daemons.forEach(daemon -> daemon.onExit().join());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
