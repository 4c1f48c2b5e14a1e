// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaProviderInfo;
import io.nettyrdma.verbs.ProviderKind;
import org.junit.jupiter.api.Test;

class ProviderSlotTest {

    @Test
    void installedProviderIsTheOneThatDisniUses() throws Exception {
        RdmaProviders.InstalledProvider installed = RdmaProviders.get();
        assertThat(ProviderSlot.get()).isNotNull().isSameAs(RdmaProvider.provider());
        assertThat(RdmaProviders.get()).isSameAs(installed);
    }

    @Test
    void reportNamesChoiceReasonAndProperty() throws Exception {
        assertThat(RdmaProviders.get().report())
                .startsWith("RDMA provider: soft (")
                .contains("-Dio.nettyrdma.provider=");
    }

    @Test
    void programsCanAskWhichProviderWorksAndWhatKindItIs() throws Exception {
        RdmaProviderInfo provider = Rdma.provider();
        assertThat(provider.name()).isEqualTo("soft");
        assertThat(provider.kind()).isEqualTo(ProviderKind.SOFTWARE);
        assertThat(provider.reason()).isNotEmpty().isEqualTo(RdmaProviders.get().reason());
        assertThat(provider).hasToString(RdmaProviders.get().report()).hasToString(Rdma.report());
    }
}
