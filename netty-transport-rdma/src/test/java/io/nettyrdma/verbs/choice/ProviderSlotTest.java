/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
