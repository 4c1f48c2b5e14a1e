// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.ConnectionLink;
import io.nettyrdma.rpc.session.Framing;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;

/** A connection that speaks version 1 only. */
public final class Version1Link extends ConnectionLink {

    private final ParameterAgreement agreement;
    private final Version1Receiver receiver;

    /** @param role of this side in the forward direction */
    public Version1Link(
            RpcRdmaRole role, SessionSettings settings, ParameterAgreement agreement, RpcRdmaObserver observer) {
        super(role, settings, observer, new Version1Framing(agreement, observer, false));
        this.agreement = agreement;
        receiver = new Version1Receiver(this, settings.decodeLimits());
        speak(framing());
    }

    @Override
    protected Framing reverseFraming(RpcRdmaObserver observer) {
        return new Version1Framing(agreement, observer, true);
    }

    @Override
    public void onActive() {
        agreement.onVersion1(context());
    }

    @Override
    public void receive(ByteBuf message) {
        receiver.receive(context(), message);
    }
}
