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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;

/** A connection that speaks version 1 only. */
public final class Version1Link extends ForwardLink {

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
    public void onActive(ChannelHandlerContext ctx) {
        agreement.onVersion1(ctx);
    }

    @Override
    public void receive(ChannelHandlerContext ctx, ByteBuf message) {
        receiver.receive(ctx, message);
    }
}
