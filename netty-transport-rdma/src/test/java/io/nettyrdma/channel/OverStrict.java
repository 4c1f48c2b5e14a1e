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

import io.nettyrdma.verbs.strict.StrictSeed;
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

    @Override
    public void beforeAll(ExtensionContext context) {
        on = true;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        on = false;
    }
}
