// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class ContractListenerTest {

    @Tag("contract")
    static final class Sample {

        @Test
        void applies() {}

        @Test
        void fails() {
            throw new AssertionError();
        }

        @Test
        void aborts() {
            assumeTrue(false, "needs a\n thing");
        }

        @Test
        @Disabled("not now")
        void disabled() {}

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        void abortsOnce(int number) {
            assumeTrue(number != 2, "needs an odd number");
        }
    }

    static final class NoContract {

        @Test
        void aborts() {
            assumeTrue(false, "needs a thing");
        }
    }

    @TempDir
    Path target;

    @Test
    void reasonsAreThoseOfTestsThatDoNotApply() throws Exception {
        run(Sample.class);

        ContractResults results = read(Sample.class);
        assertThat(results).isNotNull();
        assertThat(results.reasons())
                .containsOnlyKeys("aborts", "abortsOnce", "disabled")
                .containsEntry("aborts", "needs a thing")
                .containsEntry("abortsOnce", "in part: needs an odd number")
                .containsEntry("disabled", "not now");
    }

    @Test
    void otherClassesLeaveNothing() throws Exception {
        run(NoContract.class);

        assertThat(read(NoContract.class)).isNull();
    }

    private ContractResults read(Class<?> test) throws Exception {
        return ContractResults.read(target.resolve(ContractResults.DIRECTORY).resolve("soft"), test, "now");
    }

    private void run(Class<?> test) {
        LauncherConfig config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        LauncherFactory.create(config)
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(test))
                                .build(),
                        new ContractListener(target.toString(), "now"));
    }
}
