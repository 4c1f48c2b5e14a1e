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
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;

/** Polls a completion queue into the caller's objects. May be executed any number of times. */
final class SoftPollCq extends SVCPollCq {

    private final SoftCq cq;
    private final IbvWC[] completions;
    private final int max;
    private int polls;

    SoftPollCq(SoftCq cq, IbvWC[] completions, int max) {
        this.cq = cq;
        this.completions = completions;
        this.max = max;
    }

    @Override
    public SVCPollCq execute() {
        polls = cq.take(completions, max);
        return this;
    }

    @Override
    public int getPolls() {
        return polls;
    }

    @Override
    public boolean isValid() {
        return cq.isOpen();
    }

    @Override
    public SVCPollCq free() {
        return this;
    }
}
