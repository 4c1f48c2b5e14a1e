// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Two connected nodes over real loopback sockets; {@code a} has connected, {@code b} has accepted. */
final class Pair implements AutoCloseable {

    static final ConnectionParameters DEFAULTS = new ConnectionParameters(Node.NONE, 16, 16);

    final Node a;
    final Node b;
    final RdmaCmId listener;
    RdmaCmId aId;
    RdmaCmId bId;
    IbvQP aQp;
    IbvQP bQp;

    Pair() throws IOException {
        this(Node.config().build());
    }

    Pair(SoftProviderConfig config) throws IOException {
        this(config, config, loopback());
    }

    Pair(SoftProviderConfig aConfig, SoftProviderConfig bConfig, InetSocketAddress address) throws IOException {
        this(new Node(aConfig), new Node(bConfig), address);
    }

    /** Both nodes are closed with the pair. */
    Pair(Node a, Node b, InetSocketAddress address) throws IOException {
        this.a = a;
        this.b = b;
        listener = b.listen(address, 8);
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Connects through {@code via}, or directly if {@code null}. */
    Pair connect(InetSocketAddress via, ConnectionParameters aParameters, ConnectionParameters bParameters)
            throws IOException {
        aId = a.newId();
        aQp = a.newQp(aId, 512);
        a.connect(aId, via == null ? b.localAddress(listener) : via, aParameters);
        RdmaCmEvent request = b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, a);
        bId = b.own(request.getConnIdPriv());
        bQp = b.newQp(bId, 512);
        b.cm.accept(bId, bParameters);
        b.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
        a.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, b);
        return this;
    }

    Pair connect() throws IOException {
        return connect(null, DEFAULTS, DEFAULTS);
    }

    @Override
    public void close() throws IOException {
        try {
            a.close();
        } finally {
            b.close();
        }
    }
}
