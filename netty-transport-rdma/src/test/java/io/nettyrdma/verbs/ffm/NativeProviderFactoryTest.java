// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.ProviderNeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is missing, in the words of an administrator. Directories stand for those of the kernel; what takes a device is
 * in the lab's ProviderRefusalLabTest.
 */
class NativeProviderFactoryTest {

    private static final String BUT = "device mlx5_0 is there, but provider native cannot use it: ";

    @TempDir
    private Path root;

    private Path devices;
    private Path files;
    private NativeProviderFactory factory;

    @BeforeEach
    void makeDirectories() throws IOException {
        devices = Files.createDirectories(root.resolve("sys/class/infiniband"));
        files = Files.createDirectories(root.resolve("dev/infiniband"));
        factory = new NativeProviderFactory(root);
    }

    private void haveDevice() throws IOException {
        Files.createDirectory(devices.resolve("mlx5_0"));
    }

    private void assertRefused(String why) {
        assertThat(factory.whyNot()).isEqualTo(why);
        assertThatThrownBy(factory::install).isInstanceOf(IOException.class).hasMessage(why);
    }

    @Test
    void noDeviceIsRefused() {
        assertRefused("no RDMA device in " + devices);
        Path nowhere = root.resolve("nowhere");
        assertThat(new NativeProviderFactory(nowhere).whyNot())
                .isEqualTo("no RDMA device in " + nowhere.resolve("sys/class/infiniband"));
    }

    @Test
    @EnabledForJreRange(maxVersion = 21)
    void oldJavaIsRefused() throws Exception {
        haveDevice();
        assertRefused(BUT + "it needs Java 22 or newer, but this is " + Runtime.version());
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void missingFilesOfTheKernelAreNamed() throws Exception {
        haveDevice();
        Path connectionManager = files.resolve("rdma_cm");
        assertRefused(BUT + connectionManager
                + " does not exist; load the kernel module rdma_ucm, or give it to this container");
        Files.createFile(connectionManager);
        assertRefused(BUT + "there is no " + files
                + "/uverbs* that this user may read and write; load the kernel module ib_uverbs, and give this user"
                + " access to the files in " + files);
        Files.createFile(files.resolve("uverbs0"));
        assertThat(factory.whyNot()).isNull();
    }

    /** A link to itself stands for a file that this user may not open: root may open all others. */
    private void haveLocked(String name) throws IOException {
        Files.createSymbolicLink(files.resolve(name), files.resolve(name));
    }

    private ProviderNeed need(String what) {
        return factory.needs()
                .filter(need -> need.what().equals(what))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void allNeedsAreListedWhetherMetOrNot() throws Exception {
        assertThat(factory.needs().map(ProviderNeed::what))
                .containsExactly(
                        "an RDMA device",
                        "Java 22 or newer",
                        "access to " + files.resolve("rdma_cm"),
                        "access to " + files.resolve("uverbs*"),
                        "native access",
                        "libibverbs.so.1 and librdmacm.so.1");
        assertThat(need("an RDMA device").defect()).isEqualTo("no RDMA device in " + devices);
        assertThat(need("an RDMA device").remedy()).contains("modprobe siw");
        haveDevice();
        assertThat(need("an RDMA device").defect()).isNull();
    }

    @Test
    void missingAndLockedFilesHaveRemediesOfTheirOwn() throws Exception {
        String connectionManager = "access to " + files.resolve("rdma_cm");
        String deviceFiles = "access to " + files.resolve("uverbs*");
        assertThat(need(connectionManager).defect()).contains("does not exist");
        assertThat(need(connectionManager).remedy()).startsWith("modprobe rdma_ucm");
        assertThat(need(deviceFiles).remedy()).startsWith("modprobe ib_uverbs");

        haveLocked("rdma_cm");
        haveLocked("uverbs0");
        assertThat(need(connectionManager).defect()).startsWith("this user may not read and write " + files);
        assertThat(need(connectionManager).remedy()).isEqualTo("chmod a+rw " + files.resolve("rdma_cm"));
        assertThat(need(deviceFiles).defect())
                .startsWith("there is no " + files.resolve("uverbs*") + " that this user");
        assertThat(need(deviceFiles).remedy()).isEqualTo("chmod a+rw " + files.resolve("uverbs0"));

        Files.delete(files.resolve("uverbs0"));
        Files.createFile(files.resolve("uverbs0"));
        assertThat(need(deviceFiles).defect()).isNull();
    }

    @Test
    @EnabledForJreRange(maxVersion = 21)
    void oldJavaIsANeedWithARemedy() {
        assertThat(need("Java 22 or newer").defect()).startsWith("it needs Java 22 or newer, but this is ");
        assertThat(need("Java 22 or newer").remedy()).startsWith("export JAVA_HOME=");
    }

    @Test
    void librariesThatCannotBeLoadedAreLookedForInFolders() throws Exception {
        Path folder = Files.createDirectories(root.resolve("usr/lib64"));
        Files.createFile(folder.resolve("libibverbs.so.1"));
        assertThat(RdmaCoreLibrary.need(root, false).defect())
                .isEqualTo("librdmacm.so.1 is in no usual folder; install the libraries of rdma-core (Debian:"
                        + " librdmacm1, libibverbs1 and ibverbs-providers)");
        assertThat(RdmaCoreLibrary.need(root, false).remedy()).startsWith("apt install librdmacm1 libibverbs1 ");
        Files.createFile(folder.resolve("librdmacm.so.1"));
        assertThat(RdmaCoreLibrary.need(root, false).defect()).isNull();
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void missingLibraryIsNamedWithItsPackages() {
        assertThatThrownBy(() -> RdmaCoreLibrary.load("libnowhere.so.7"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageStartingWith("libnowhere.so.7 does not load (")
                .hasMessageEndingWith("install the libraries of rdma-core (Debian: librdmacm1, libibverbs1 and"
                        + " ibverbs-providers)");
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void libraryWithoutAFunctionIsNamed() {
        assertThatThrownBy(() -> RdmaCoreLibrary.load("libc.so.6").function("no_such_function", int.class))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageStartingWith("libc.so.6 has no function no_such_function; install ");
    }

    /** In JVMs of their own: this one has not been told to deny it, and may have loaded everything. */
    @Test
    @EnabledForJreRange(minVersion = 24)
    void deniedNativeAccessIsRefusedWithTheFlagAsOftenAsOneAsks() throws Exception {
        haveDevice();
        Files.createFile(files.resolve("rdma_cm"));
        Files.createFile(files.resolve("uverbs0"));

        List<String> said = run("--illegal-native-access=deny");

        assertThat(said).hasSize(2).allSatisfy(line -> assertThat(line)
                .startsWith(BUT + "native access is denied (")
                .endsWith("; start Java with --enable-native-access=ALL-UNNAMED"));
    }

    @Test
    void withoutADeviceNothingOfCIsTouched() throws Exception {
        List<String> said = run("-Xlog:class+load:file=" + root.resolve("loaded"));

        assertThat(said).containsExactly("no RDMA device in " + devices, "no RDMA device in " + devices);
        List<String> loaded = Files.readAllLines(root.resolve("loaded"));
        assertThat(loaded).anyMatch(line -> line.contains(NativeProviderFactory.class.getName() + ' '));
        assertThat(loaded).noneMatch(line -> line.contains(Foreign.class.getName() + ' '));
    }

    /** Installs the provider twice in a JVM, and prints what that says. */
    static final class Installing {
        public static void main(String[] arguments) {
            NativeProviderFactory factory = new NativeProviderFactory(Path.of(arguments[0]));
            for (int i = 0; i < 2; i++) {
                try {
                    factory.install();
                    System.out.println("installed");
                } catch (IOException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    /** What a JVM with an option prints, be it by itself. */
    private List<String> run(String option) throws Exception {
        List<String> line = new ArrayList<>();
        line.add(ProcessHandle.current().info().command().orElseThrow());
        line.addAll(List.of("-XX:TieredStopAtLevel=1", option, "-cp", System.getProperty("java.class.path")));
        line.addAll(List.of(Installing.class.getName(), root.toString()));
        Path out = root.resolve("out");
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        boolean ended = process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        assertThat(ended).as("the JVM has ended: " + Files.readString(out)).isTrue();
        return Files.readAllLines(out);
    }
}
