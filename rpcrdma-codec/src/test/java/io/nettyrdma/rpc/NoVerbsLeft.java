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
package io.nettyrdma.rpc;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.strict.StrictDevice;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** After each test, when its event loops have ended: no region, queue pair or connection of the provider is left. */
final class NoVerbsLeft implements AfterEachCallback {

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (RdmaProvider.provider() instanceof SoftProvider soft) {
            NothingLeft.of(soft);
        }
        StrictDevice.shared().checkNothingLeft();
    }
}
