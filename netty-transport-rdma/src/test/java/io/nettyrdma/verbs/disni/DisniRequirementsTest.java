// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is looked at before DiSNI's own provider is chosen: a server must not listen and then refuse everyone. */
class DisniRequirementsTest {

    /** A machine that has everything. */
    private static class Complete implements DisniRequirements.Machine {
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
        public boolean exists(String file) {
            return true;
        }

        @Override
        public boolean isReadableAndWritable(String file) {
            return true;
        }
    }

    @Test
    void completeMachineWillDo() {
        assertThatCode(() -> DisniRequirements.check(new Complete())).doesNotThrowAnyException();
    }

    @Test
    void missingSlf4jIsNamed() {
        assertThatThrownBy(() -> DisniRequirements.check(new Complete() {
                    @Override
                    public boolean hasClass(String name) {
                        return !name.startsWith("org.slf4j.");
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("slf4j-api to the class path");
        assertThatThrownBy(() -> DisniRequirements.check(new Complete() {
                    @Override
                    public boolean hasClass(String name) {
                        return false;
                    }

                    @Override
                    public boolean disniIsUnnamed() {
                        return false;
                    }
                }))
                .hasMessageContaining("--add-modules org.slf4j");
    }

    @Test
    void missingExportIsNamedWithTheOptionThatGivesIt() {
        assertThatThrownBy(() -> DisniRequirements.check(new Complete() {
                    @Override
                    public boolean exportsBuffersToDisni() {
                        return false;
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("--add-exports java.base/sun.nio.ch=ALL-UNNAMED");
        assertThatThrownBy(() -> DisniRequirements.check(new Complete() {
                    @Override
                    public boolean exportsBuffersToDisni() {
                        return false;
                    }

                    @Override
                    public boolean disniIsUnnamed() {
                        return false;
                    }
                }))
                .hasMessageContaining("--add-exports java.base/sun.nio.ch=disni");
    }

    @Test
    void missingDeviceFileAndMissingAccessToItAreToldApart() {
        assertThatThrownBy(() -> DisniRequirements.check(new Complete() {
                    @Override
                    public boolean exists(String file) {
                        return false;
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/dev/infiniband/rdma_cm")
                .hasMessageContaining("rdma_ucm");
        assertThatThrownBy(() -> DisniRequirements.check(new Complete() {
                    @Override
                    public boolean isReadableAndWritable(String file) {
                        return false;
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/dev/infiniband/rdma_cm")
                .hasMessageContaining("may not");
    }

    private static @Nullable String whyNot(Path devices, DisniRequirements.Machine machine) {
        return new DisniProviderFactory(devices.toFile(), machine, RdmaProvider::provider).whyNot();
    }

    @Test
    void machineWithoutDevicesIsNoneForThisProvider(@TempDir Path directory) {
        assertThat(whyNot(directory, new Complete())).isEqualTo("no RDMA device in " + directory);
        assertThat(whyNot(directory.resolve("missing"), new Complete()))
                .isEqualTo("no RDMA device in " + directory.resolve("missing"));
    }

    @Test
    void whatADeviceLacksIsSaidWithItsName(@TempDir Path directory) throws Exception {
        Files.createDirectory(directory.resolve("siw0"));
        assertThat(whyNot(directory, new Complete())).isNull();
        assertThat(whyNot(directory, new Complete() {
                    @Override
                    public boolean isReadableAndWritable(String file) {
                        return false;
                    }
                }))
                .startsWith("device siw0 is there, but ")
                .contains("/dev/infiniband/rdma_cm");
    }

    @Test
    void deviceForWhichTheLibraryIsMissingIsNamed(@TempDir Path directory) throws Exception {
        Files.createDirectory(directory.resolve("siw0"));
        RdmaProviderFactory factory = new DisniProviderFactory(directory.toFile(), new Complete(), () -> {
            throw new UnsatisfiedLinkError("no disni in java.library.path");
        });
        assertThat(factory.whyNot()).isNull();
        assertThatThrownBy(factory::install)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("device siw0 is there, but libdisni does not load ")
                .hasMessageContaining("no disni in java.library.path");
    }
}
