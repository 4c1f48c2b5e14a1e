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

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connection event. Status is 0 or a negative errno, as Linux has it. */
final class SoftCmEvent extends RdmaCmEvent {

    SoftCmEvent(
            EventType type, int status, @Nullable RdmaCmId listener, RdmaCmId id, @Nullable RdmaConnParam parameters)
            throws IOException {
        super(type.ordinal(), listener, id);
        this.status = status;
        this.conn = parameters;
    }

    @Nullable
    RdmaConnParam parameters() {
        return conn;
    }
}
