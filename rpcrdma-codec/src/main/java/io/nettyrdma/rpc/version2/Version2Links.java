// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.ConnectionLink;
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
    public ConnectionLink create(
            RpcRdmaRole role, SessionSettings session, ParameterAgreement agreement, RpcRdmaObserver observer) {
        return new NegotiatedLink(ChannelWire::new, role, session, settings, agreement, observer, memory);
    }
}
