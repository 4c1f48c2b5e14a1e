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
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A copy of an event, which needs no acknowledgement any more. */
final class NativeCmEvent extends RdmaCmEvent {

    @SuppressWarnings("NullAway") // DiSNI's constructor takes null for a listener, and its field for parameters
    NativeCmEvent(
            int type, int status, @Nullable RdmaCmId listener, RdmaCmId id, @Nullable ConnectionParameters parameters)
            throws IOException {
        super(type, listener, id);
        this.status = status;
        conn = parameters;
    }

    @Override
    public void ackEvent() {
        // was done when it was copied
    }

    @Nullable
    ConnectionParameters parameters() {
        return conn instanceof ConnectionParameters parameters ? parameters : null;
    }
}
