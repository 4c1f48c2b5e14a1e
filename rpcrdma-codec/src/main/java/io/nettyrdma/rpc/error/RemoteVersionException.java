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
package io.nettyrdma.rpc.error;

import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;

/** The responder answered {@code ERR_VERS}: it does not speak this version (RFC 8166, section 4.5.1). */
public final class RemoteVersionException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final long lowVersion;
    private final long highVersion;

    /** For a call that the peer refused. */
    public RemoteVersionException(int xid, VersionRange supported) {
        super(xid, "responder supports versions " + supported.low() + " to " + supported.high());
        lowVersion = supported.low();
        highVersion = supported.high();
    }

    /** Lowest version the responder supports. */
    public long lowVersion() {
        return lowVersion;
    }

    /** Highest version the responder supports. */
    public long highVersion() {
        return highVersion;
    }
}
