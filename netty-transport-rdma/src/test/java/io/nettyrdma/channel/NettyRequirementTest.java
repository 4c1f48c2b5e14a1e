// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.util.Version;
import java.util.List;
import org.junit.jupiter.api.Test;

class NettyRequirementTest {

    /** {@code io.netty.channel.IoHandle} as it was up to 4.2.6. */
    private interface OldHandle extends AutoCloseable {
        void handle(IoRegistration registration, IoEvent event);

        @Override
        void close();
    }

    @Test
    void nettyOfTheClassPathWillDo() {
        assertThat(NettyRequirement.defect(Class::forName, "4.2.18.Final")).isNull();
        assertThat(Rdma.isAvailable()).isTrue();
    }

    @Test
    void olderNettyIsRefusedInASentenceWithBothVersions() {
        assertThat(NettyRequirement.defect(name -> OldHandle.class, "4.2.6.Final"))
                .contains("Netty 4.2.7")
                .contains("4.2.6.Final")
                .contains("IoHandle.registered()");
    }

    @Test
    void jarsTellTheirVersionsAndNames() {
        NettyRequirement.Jar jar = NettyRequirement.Jar.of("netty-common", Version.class);
        assertThat(jar.version())
                .isEqualTo(Version.identify().get("netty-common").artifactVersion());
        assertThat(jar.describe()).isEqualTo("netty-common " + jar.version() + " (" + jar.file() + ')');
        assertThat(jar.file()).startsWith("netty-common-").endsWith(".jar");
    }

    @Test
    void jarsOfDifferentVersionsAreNamed() {
        assertThat(NettyRequirement.defect(List.of(
                        new NettyRequirement.Jar("netty-common", "4.1.128.Final", "netty-common-4.1.128.Final.jar"),
                        new NettyRequirement.Jar("netty-buffer", "4.2.18.Final", "netty-buffer-4.2.18.Final.jar"))))
                .isEqualTo("the jars of Netty are of different versions: netty-common 4.1.128.Final"
                        + " (netty-common-4.1.128.Final.jar), netty-buffer 4.2.18.Final"
                        + " (netty-buffer-4.2.18.Final.jar); let all have one version, for example by netty-bom");
    }

    @Test
    void jarsOfUnknownOrNearVersionsAreNotRefused() {
        assertThat(NettyRequirement.defect(List.of(
                        new NettyRequirement.Jar("netty-common", "4.2.17.Final", "a.jar"),
                        new NettyRequirement.Jar("netty-buffer", "4.2.18.Final", "b.jar"),
                        new NettyRequirement.Jar("netty-transport", null, null))))
                .isNull();
    }

    @Test
    void nettyWithoutTheClassIsRefusedToo() {
        assertThat(NettyRequirement.defect(
                        name -> {
                            throw new ClassNotFoundException(name);
                        },
                        "4.1.118.Final"))
                .contains("Netty 4.2.7")
                .contains("4.1.118.Final");
    }
}
