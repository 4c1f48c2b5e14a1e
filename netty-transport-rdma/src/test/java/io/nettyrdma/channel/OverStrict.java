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
package io.nettyrdma.channel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.StrictSeed;
import io.nettyrdma.verbs.strict.Trait;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs the tests of a class over the strict device: what {@link LoopsOver} makes is made over that one. */
public final class OverStrict extends StrictSeed implements BeforeAllCallback, AfterAllCallback {

    // Test classes run one after the other.
    private static volatile boolean on;

    /** Whether the tests that run now are to run over the strict device. */
    static boolean isOn() {
        return on;
    }

    /** Whether what is tested now has a trait: never the software provider by itself. */
    public static boolean has(Trait trait) {
        return on && StrictDevice.shared().has(trait);
    }

    /** Whether it is told why a connection has ended: not by a DISCONNECTED event of siw or rxe. */
    public static boolean tellsReasons() {
        return !has(Trait.NO_REASONS);
    }

    /**
     * Declares the exception of a connection that ended for a reason no handler takes. Where nothing tells the reason,
     * there may be a failed request that does, or no exception.
     */
    public static void expectUnhandledReason() {
        if (tellsReasons()) {
            Logs.expectUnhandledException();
        } else {
            Logs.allowUnhandledException();
        }
    }

    /**
     * Skips tests whose peer sends more than there are receives: siw, rxe and hardware end the connection at the first
     * message that finds none, so that nothing of what the test is about can come.
     */
    public static void assumeWaitsForReceives() {
        assumeTrue(TestProvider.tested().waitsForReceives(), "needs messages that wait for receives");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        on = true;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        on = false;
    }
}
