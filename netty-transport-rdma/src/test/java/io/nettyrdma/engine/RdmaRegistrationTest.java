// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.channel.LeavesNothingOpen;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.error.RdmaDeviceException;
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

    private static final class Handle implements RdmaIoHandle {
        private int unregistered;

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            throw new AssertionError("no event");
        }

        @Override
        public boolean hasOutstanding() {
            return true;
        }

        @Override
        public void unregistered() {
            unregistered++;
        }

        @Override
        public void addTo(LoopSample sample) {}

        @Override
        public boolean isOn(LoopDevice device) {
            return false;
        }

        @Override
        public void onFailure(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void fail(RdmaDeviceException cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** A loop takes a channel off its count when cancel() says so, which it has to say once, whatever ended before. */
    @Test
    void registrationThatWasEndedIsStillCancelledOnce() throws Exception {
        RdmaIoHandler loop = (RdmaIoHandler) TestProvider.SOFT.newFactory().newHandler(here);
        try {
            loop.initialize();
            Handle handle = new Handle();
            RdmaRegistration registration = (RdmaRegistration) loop.register(handle);
            registration.end();
            assertThat(registration.isValid()).isFalse();
            assertThat(registration.cancel()).isTrue();
            assertThat(registration.cancel()).isFalse();
            assertThat(handle.unregistered).isOne();
        } finally {
            loop.destroy();
        }
    }
}
