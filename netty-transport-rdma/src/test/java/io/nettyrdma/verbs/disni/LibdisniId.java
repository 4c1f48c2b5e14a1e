// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * An id of {@link LibdisniEventChannel}: takes the first four octets of any address for IPv4, ignores where to connect
 * from, and on iWARP does not flush a queue pair that was never connected, whatever it is told.
 */
final class LibdisniId extends RdmaCmId {

    private final LibdisniEventChannel events;
    private final RdmaCmId id;
    private volatile boolean established;

    LibdisniId(LibdisniEventChannel events, RdmaCmId id) throws IOException {
        super(events, null);
        this.events = events;
        this.id = id;
    }

    void established() {
        established = true;
    }

    @Override
    public IbvContext getVerbs() throws IOException {
        return id.getVerbs();
    }

    @Override
    public IbvQP getQp() {
        return id.getQp();
    }

    @Override
    public IbvQP createQP(IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        return id.createQP(pd, attributes);
    }

    @Override
    public void bindAddr(SocketAddress address) throws IOException {
        id.bindAddr(firstFourOctets(address));
    }

    @Override
    public void listen(int backlog) throws IOException {
        id.listen(backlog);
    }

    @Override
    public void resolveAddr(SocketAddress source, SocketAddress destination, int timeoutMillis) throws IOException {
        id.resolveAddr(null, firstFourOctets(destination), timeoutMillis);
    }

    private static SocketAddress firstFourOctets(SocketAddress address) {
        InetSocketAddress inet = (InetSocketAddress) address;
        if (!(inet.getAddress() instanceof Inet4Address)) {
            throw new AssertionError(address + " reaches the device as another address");
        }
        return address;
    }

    @Override
    public void resolveRoute(int timeoutMillis) throws IOException {
        id.resolveRoute(timeoutMillis);
    }

    @Override
    public void connect(RdmaConnParam parameters) throws IOException {
        id.connect(parameters);
    }

    @Override
    public void accept(RdmaConnParam parameters) throws IOException {
        id.accept(parameters);
    }

    @Override
    public int disconnect() throws IOException {
        return established ? id.disconnect() : -1;
    }

    @Override
    public int destroyQP() throws IOException {
        return id.destroyQP();
    }

    @Override
    public int destroyId() throws IOException {
        if (!isOpen()) {
            throw new IOException("Trying to destroy an already destroyed ID");
        }
        close();
        events.forget(id);
        return id.destroyId();
    }

    @Override
    public SocketAddress getSource() throws IOException {
        return id.getSource();
    }

    @Override
    public SocketAddress getDestination() throws IOException {
        return id.getDestination();
    }
}
