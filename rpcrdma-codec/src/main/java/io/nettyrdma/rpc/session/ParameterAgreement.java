// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.internal.LimitsItself;
import io.nettyrdma.internal.PipelinePlace;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Agrees with the peer on parameters before the first message: this side's offer goes into the options of the
 * channel, the peer's comes with its private data (RFC 8797). Agreed on once, for both directions.
 *
 * <p>Threading: confined to the executor of its handler.
 */
public final class ParameterAgreement {

    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private final RpcRdmaObserver observer;
    private final Consumer<RpcRdmaParametersEvent> agreed;
    private CmPrivateData own;
    private boolean remoteInvalidation;
    private CmPrivateData heard = CmPrivateData.DEFAULTS;
    private @Nullable RpcRdmaParametersEvent parameters; // PD-024

    /**
     * @param observer is told when the connection opens
     * @param agreed   is told the parameters first
     */
    public ParameterAgreement(
            RpcRdmaRole role,
            SessionSettings settings,
            RpcRdmaObserver observer,
            Consumer<RpcRdmaParametersEvent> agreed) {
        this.role = role;
        this.settings = settings;
        this.observer = observer;
        this.agreed = agreed;
        own = settings.privateData(false);
    }

    /**
     * Checks the channel that a handler is being added to: a byte stream, or a channel with flow control, is refused as
     * {@link PipelinePlace#refuse} does. From then on, {@linkplain PipelinePlace#watch watches} the handlers in front.
     *
     * @return whether the handler can work
     * @throws IllegalStateException if not, on a channel that was accepted or is an RDMA channel that has connected
     */
    public static boolean isUsable(ChannelHandlerContext ctx) {
        Channel channel = ctx.channel();
        String name = ctx.handler().getClass().getSimpleName();
        if (channel instanceof DuplexChannel) {
            PipelinePlace.refuse(
                    ctx,
                    name + " needs a channel that keeps messages apart: " + RdmaChannel.class.getName()
                            + " (with RdmaServerChannel), not "
                            + channel.getClass().getName());
            return false;
        }
        if (ctx.pipeline().get(RdmaFlowControlHandler.class) != null) { // which looks for this one if it comes later
            PipelinePlace.refuse(ctx, LimitsItself.besideFlowControl(ctx.handler()));
            return false;
        }
        if (channel instanceof RdmaChannel && channel.isActive()) {
            throw new IllegalStateException(
                    "connected already: " + channel + "; add " + name + " in the channel's initializer");
        }
        PipelinePlace.watch(ctx);
        return true;
    }

    /**
     * Sets what the queue pair is made from. Other channels than RDMA ones do not know these options, and need none.
     *
     * @param credits            receives to be posted for, besides the reserve
     * @param remoteInvalidation whether this side takes part in it
     */
    public void configure(Channel channel, int credits, boolean remoteInvalidation) {
        announce(channel, remoteInvalidation);
        ChannelConfig options = channel.config();
        options.setOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, settings.inlineReceiveBytes()); // PD-013
        // V1-017, V1-018, V1-025
        options.setOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, credits + settings.receivesBeyondCredits(role));
        options.setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, settings.inlineSendBytes());
    }

    /** Sets whether this side takes part in remote invalidation, and what the peer is told. */
    public void announce(Channel channel, boolean remoteInvalidation) {
        this.remoteInvalidation = remoteInvalidation;
        own = settings.privateData(remoteInvalidation);
        channel.config()
                .setOption(
                        RdmaChannelOption.RDMA_PRIVATE_DATA,
                        settings.announced() ? own.encode() : new byte[0]); // PD-001
    }

    /**
     * The peer's private data has come. Only the first time counts: the parameters do not change during a connection.
     */
    public void onPrivateData(ChannelHandlerContext ctx, RdmaPrivateDataEvent event) {
        heard = CmPrivateData.findOrDefaults(event.data());
        if (!settings.versions().hasTwo()) {
            agreeOnVersion1(ctx);
        }
    }

    /** Version 1 is spoken, and the channel is active; if that was without private data, the defaults hold. */
    public void onVersion1(ChannelHandlerContext ctx) {
        observer.onOpened(agreeOnVersion1(ctx));
    }

    /** Version 2 is spoken, and properties are exchanged. What private data said means nothing (C52). */
    public void onVersion2(ChannelHandlerContext ctx, InlineThresholds thresholds, ReverseLevel reverseLevel) {
        RpcRdmaParametersEvent event = RpcRdmaParametersEvent.builder(AllowedVersions.TWO)
                .thresholds(thresholds)
                .remoteInvalidation(remoteInvalidation)
                .peer(heard)
                .reverseLevel(reverseLevel)
                .build();
        observer.onOpened(agree(ctx, event));
    }

    private RpcRdmaParametersEvent agreeOnVersion1(ChannelHandlerContext ctx) {
        RpcRdmaParametersEvent present = parameters;
        if (present != null) {
            return present; // V1-022
        }
        InlineThresholds thresholds = role == RpcRdmaRole.REQUESTER
                ? InlineThresholds.between(own, heard)
                : InlineThresholds.between(heard, own); // V1-021
        RpcRdmaParametersEvent event = RpcRdmaParametersEvent.builder(AllowedVersions.ONE)
                .thresholds(thresholds)
                .remoteInvalidation(own.remoteInvalidation() && heard.remoteInvalidation()) // PD-014, PD-020
                .peer(heard)
                .build();
        return agree(ctx, event);
    }

    private RpcRdmaParametersEvent agree(ChannelHandlerContext ctx, RpcRdmaParametersEvent event) {
        parameters = event;
        agreed.accept(event);
        ctx.fireUserEventTriggered(event);
        return event;
    }

    /** Whether this side takes part in remote invalidation, whatever the peer was told of it. */
    public boolean remoteInvalidation() {
        return remoteInvalidation;
    }

    /** The longest Sends in the forward direction; the defaults until they are agreed on. */
    public InlineThresholds thresholds() {
        return parameters == null ? InlineThresholds.DEFAULTS : parameters.thresholds();
    }
}
