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
package io.nettyrdma.verbs;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A provider's id as channels get it: tied to the event loop that owns it, which the provider knows nothing of.
 *
 * <p>Threading: that of the owner; {@link #owner()} and {@link #destroyId} any. Ownership: owns the provider's id.
 */
final class DisniCmId extends RdmaCmId {

    private final SharedEventChannel shared;
    private final RdmaCmId id;
    private volatile DisniEventChannel owner;
    private boolean listening;

    DisniCmId(SharedEventChannel shared, RdmaCmId id, DisniEventChannel owner) throws IOException {
        super(owner, null);
        this.shared = shared;
        this.id = id;
        this.owner = owner;
    }

    /** The loop that gets its events. */
    DisniEventChannel owner() {
        return owner;
    }

    SharedEventChannel shared() {
        return shared;
    }

    /** Gives the events to come to another loop, and those that wait for the present one. */
    synchronized void moveTo(DisniEventChannel target) {
        DisniEventChannel before = owner;
        owner = target;
        cmChannel = target;
        for (DisniCmEvent event : before.takeEventsOf(this)) {
            target.add(event);
        }
    }

    /** Hands an event about this id to its loop. */
    synchronized void deliver(DisniCmEvent event) throws IOException {
        if (!owner.add(event)) {
            event.drop(); // the loop has ended
        }
    }

    @Override
    @Nullable
    public IbvContext getVerbs() throws IOException {
        return id.getVerbs();
    }

    @Override
    @Nullable
    public IbvQP getQp() {
        return id.getQp();
    }

    @Override
    public int getPs() {
        return id.getPs();
    }

    @Override
    public byte getPort_num() {
        return id.getPort_num();
    }

    @Override
    public boolean isOpen() {
        return id.isOpen();
    }

    @Override
    @Nullable
    public IbvQP createQP(IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        return id.createQP(pd, attributes);
    }

    @Override
    public void bindAddr(SocketAddress address) throws IOException {
        id.bindAddr(address);
    }

    @Override
    public void listen(int backlog) throws IOException {
        listening = true;
        id.listen(backlog);
    }

    @Override
    public void resolveAddr(@Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        id.resolveAddr(source, destination, timeoutMillis);
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
        return id.disconnect();
    }

    @Override
    public int destroyQP() throws IOException {
        return id.destroyQP();
    }

    @Override
    public int destroyId() throws IOException {
        return shared.destroy(id, listening);
    }

    @Override
    public int destroyEp() throws IOException {
        throw new UnsupportedOperationException("destroy the queue pair and the id");
    }

    @Override
    @Nullable
    public SocketAddress getSource() throws IOException {
        return id.getSource();
    }

    @Override
    @Nullable
    public SocketAddress getDestination() throws IOException {
        return id.getDestination();
    }

    @Override
    public String toString() {
        return "DisniCmId[" + id + ']';
    }
}
