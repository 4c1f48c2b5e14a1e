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
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.ForwardLink;
import io.nettyrdma.rpc.session.LinkFactory;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;

/**
 * Makes the links of connections that may speak version 2 (draft -01), and remembers the peers that do not. This is the
 * only type that other packages know.
 *
 * <p>Threading: thread-safe.
 */
public final class Version2Links implements LinkFactory {

    private final Version2Settings settings;
    private final VersionMemory memory = new VersionMemory();

    /** Creates a factory for all connections of a configuration. */
    public Version2Links(Version2Settings settings) {
        this.settings = settings;
    }

    @Override
    public ForwardLink create(
            RpcRdmaRole role, SessionSettings session, ParameterAgreement agreement, RpcRdmaObserver observer) {
        Version2Connection two = new Version2Connection(role, session, settings, agreement, observer);
        return role == RpcRdmaRole.REQUESTER
                ? new RequesterLink(two, agreement, observer, memory)
                : new ResponderLink(two, agreement, observer, memory);
    }
}
