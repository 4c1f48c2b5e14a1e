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

/**
 * A connection ends because its two sides did not find a version of the protocol, or did not get through with telling
 * each other their properties (draft -01, sections 4.2.3 and 5).
 */
public final class VersionNegotiationException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final boolean refusal;

    /** @param xid of the messages of properties of the side that has made the connection, 0 if they have not come */
    public VersionNegotiationException(int xid, String message) {
        this(xid, message, false);
    }

    private VersionNegotiationException(int xid, String message, boolean refusal) {
        super(xid, message);
        this.refusal = refusal;
    }

    /**
     * The peer has answered the properties of this side by an error.
     *
     * @param xid of the messages of properties, or of the call that fails
     */
    public static VersionNegotiationException ofRefusedProperties(int xid) {
        return new VersionNegotiationException(xid, "the peer refuses the transport properties of this side", true);
    }

    /** Whether the peer refuses the properties of this side, as it would on another connection of version 2. */
    public boolean isRefusal() {
        return refusal;
    }
}
