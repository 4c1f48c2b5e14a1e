// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.channel.LeavesNothingOpen;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.TestProvider;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What Netty's loops learn of a registration, by which they count their channels. */
@ExtendWith(LeavesNothingOpen.class)
class RdmaRegistrationTest {

    private final ThreadAwareExecutor here = new ThreadAwareExecutor() {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    };

    private final List<String> told = new ArrayList<>();

    private final RdmaIoHandle handle = (RdmaIoHandle) Proxy.newProxyInstance(
            RdmaIoHandle.class.getClassLoader(), new Class<?>[] {RdmaIoHandle.class}, (proxy, method, args) -> {
                told.add(method.getName());
                return method.getReturnType() == boolean.class
                        ? method.getName().equals("hasOutstanding")
                        : null;
            });

    /** A loop takes a channel off its count when cancel() says so, which it has to say once, whatever ended before. */
    @Test
    void registrationThatWasEndedIsStillCancelledOnce() throws Exception {
        RdmaIoHandler loop = (RdmaIoHandler) TestProvider.SOFT.newFactory().newHandler(here);
        try {
            loop.initialize();
            RdmaRegistration registration = (RdmaRegistration) loop.register(handle);
            registration.end();
            assertThat(registration.isValid()).isFalse();
            assertThat(registration.cancel()).isTrue();
            assertThat(registration.cancel()).isFalse();
            assertThat(told).containsOnlyOnce("unregistered").doesNotContain("handle", "onFailure", "fail");
        } finally {
            loop.destroy();
        }
    }
}
