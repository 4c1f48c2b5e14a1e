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
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;

/** Completion channel; the provider takes its events, so there is nothing to do but to exist. */
final class StrictCompChannel extends IbvCompChannel {

    private final StrictDevice device;
    private final IbvCompChannel kind;

    StrictCompChannel(StrictDevice device, StrictContext context, IbvCompChannel kind) throws IOException {
        super(-1, context);
        this.device = device;
        this.kind = kind;
    }

    IbvCompChannel kind() {
        return kind;
    }

    @Override
    public boolean getCqEvent(IbvCQ cq, int timeoutMillis) throws IOException {
        throw new IOException("completion events of a confined event channel are taken by the provider");
    }

    @Override
    public int destroyCompChannel() throws IOException {
        return device.calls().make(Verb.DESTROY_COMPLETION_CHANNEL, () -> {
            int result = kind.destroyCompChannel();
            close();
            return result;
        });
    }
}
