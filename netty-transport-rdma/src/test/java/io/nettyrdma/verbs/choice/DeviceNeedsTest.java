// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.Rdma;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class DeviceNeedsTest {

    private static final Path FILE = Path.of("/dev/infiniband/rdma_cm");

    private static String remedy(String group, String permissions) {
        return DeviceNeeds.remedy(FILE, group, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void groupThatMayUseAFileIsTheRemedyIfItIsNotThatOfRoot() {
        assertThat(remedy("rdma", "rw-rw----")).isEqualTo("usermod -aG rdma $USER, and log in again");
        assertThat(remedy("rdma", "rw-r-----")).isEqualTo("chmod a+rw " + FILE);
        assertThat(remedy("root", "rw-rw----")).isEqualTo("chmod a+rw " + FILE);
    }

    @Test
    void needsOfAllProvidersAreListedInTheOrderOfTheChoice() {
        assertThat(Rdma.needs().keySet()).containsExactly("native", "disni", "soft");
        assertThat(Rdma.needs().get("soft")).isEmpty();
        assertThat(Rdma.needs().get("native")).isNotEmpty();
    }
}
