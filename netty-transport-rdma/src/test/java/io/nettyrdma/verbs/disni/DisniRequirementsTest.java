// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.ProviderNeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is looked at before DiSNI's own provider is chosen: a server must not listen and then refuse everyone. */
class DisniRequirementsTest {

    /** A JVM that has everything. */
    private static class Complete implements DisniRequirements.Jvm {
        @Override
        public boolean hasClass(String name) {
            return true;
        }

        @Override
        public boolean exportsBuffersToDisni() {
            return true;
        }

        @Override
        public boolean disniIsUnnamed() {
            return true;
        }

        @Override
        public boolean hasLibrary(String fileName) {
            return true;
        }
    }

    @TempDir
    private Path root;

    private DisniProviderFactory factory(DisniRequirements.Jvm jvm) {
        return new DisniProviderFactory(root, jvm, RdmaProvider::provider);
    }

    private void haveDevice() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband/siw0"));
    }

    private void haveFiles() throws IOException {
        Path files = Files.createDirectories(root.resolve("dev/infiniband"));
        Files.createFile(files.resolve("rdma_cm"));
        Files.createFile(files.resolve("uverbs0"));
    }

    private static void assertRefused(ProviderNeed need, String defect, String remedy) {
        assertThat(need.defect()).contains(defect);
        assertThat(need.remedy()).isEqualTo(remedy);
    }

    @Test
    void completeMachineWillDo() throws Exception {
        haveDevice();
        haveFiles();
        assertThat(factory(new Complete()).whyNot()).isNull();
        assertThat(factory(new Complete()).needs())
                .extracting(ProviderNeed::defect)
                .containsOnlyNulls();
    }

    @Test
    void allNeedsAreListedWhetherMetOrNot() {
        List<String> needs =
                factory(new Complete()).needs().map(ProviderNeed::what).toList();
        assertThat(needs)
                .containsExactly(
                        "an RDMA device",
                        "slf4j-api",
                        "access to sun.nio.ch",
                        "access to " + root.resolve("dev/infiniband/rdma_cm"),
                        "access to " + root.resolve("dev/infiniband/uverbs*"),
                        System.mapLibraryName("disni"));
    }

    @Test
    void missingSlf4jIsNamed() {
        assertRefused(
                DisniRequirements.slf4j(new Complete() {
                    @Override
                    public boolean hasClass(String name) {
                        return !name.startsWith("org.slf4j.");
                    }
                }),
                "DiSNI needs slf4j-api, which is not there",
                "add org.slf4j:slf4j-api to the class path");
        assertRefused(
                DisniRequirements.slf4j(new Complete() {
                    @Override
                    public boolean hasClass(String name) {
                        return false;
                    }

                    @Override
                    public boolean disniIsUnnamed() {
                        return false;
                    }
                }),
                "DiSNI needs slf4j-api, which is not there",
                "add org.slf4j:slf4j-api, and start Java with --add-modules org.slf4j");
    }

    @Test
    void missingExportIsNamedWithTheOptionThatGivesIt() {
        String unnamed = "--add-exports java.base/sun.nio.ch=ALL-UNNAMED";
        assertRefused(
                DisniRequirements.buffers(new Complete() {
                    @Override
                    public boolean exportsBuffersToDisni() {
                        return false;
                    }
                }),
                "start Java with " + unnamed,
                unnamed);
        String named = "--add-exports java.base/sun.nio.ch=disni";
        assertRefused(
                DisniRequirements.buffers(new Complete() {
                    @Override
                    public boolean exportsBuffersToDisni() {
                        return false;
                    }

                    @Override
                    public boolean disniIsUnnamed() {
                        return false;
                    }
                }),
                "start Java with " + named,
                named);
    }

    @Test
    void missingDeviceFileAndMissingAccessToItAreToldApart() throws Exception {
        haveDevice();
        Path file = Files.createDirectories(root.resolve("dev/infiniband")).resolve("rdma_cm");
        assertThat(factory(new Complete()).whyNot())
                .contains(file + " does not exist; load the kernel module rdma_ucm");
        Files.createSymbolicLink(file, file);
        assertThat(factory(new Complete()).whyNot()).contains("this user may not read and write " + file);
    }

    @Test
    void machineWithoutDevicesIsNoneForThisProvider() {
        assertThat(factory(new Complete()).whyNot())
                .isEqualTo("no RDMA device in " + root.resolve("sys/class/infiniband"));
    }

    @Test
    void whatADeviceLacksIsSaidWithItsName() throws Exception {
        haveDevice();
        haveFiles();
        DisniProviderFactory factory = factory(new Complete() {
            @Override
            public boolean hasLibrary(String fileName) {
                return false;
            }
        });
        String file = System.mapLibraryName("disni");
        assertThat(factory.whyNot())
                .isEqualTo("device siw0 is there, but provider disni cannot use it: " + file
                        + " is in no folder of java.library.path; build it from the DiSNI sources and put it on"
                        + " java.library.path");
        assertThat(factory.needs().reduce((first, last) -> last).orElseThrow().remedy())
                .startsWith("-Djava.library.path=FOLDER");
    }

    @Test
    void deviceForWhichTheLibraryIsMissingIsNamed() throws Exception {
        haveDevice();
        haveFiles();
        DisniProviderFactory factory = new DisniProviderFactory(root, new Complete(), () -> {
            throw new UnsatisfiedLinkError("no disni in java.library.path");
        });
        assertThat(factory.whyNot()).isNull();
        assertThatThrownBy(factory::install)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "device siw0 is there, but provider disni cannot use it: libdisni does not load ")
                .hasMessageContaining("no disni in java.library.path");
    }
}
