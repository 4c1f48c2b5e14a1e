// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * User event with the parameters that both sides agreed on. The handler fires it once per connection: after it has seen
 * the peer's private data, at the latest before it passes on {@code channelActive}; if version 2 is allowed, later,
 * when the version is known and properties are exchanged. The values are fixed for the connection, and may differ after
 * a reconnect.
 *
 * <p>Threading: immutable.
 */
public final class RpcRdmaParametersEvent {

    private final int version;
    private final InlineThresholds thresholds;
    private final boolean remoteInvalidation;
    private final CmPrivateData peer;
    private final @Nullable ReverseLevel reverseLevel;

    private RpcRdmaParametersEvent(Builder builder) {
        version = builder.version;
        thresholds = builder.thresholds;
        remoteInvalidation = builder.remoteInvalidation;
        peer = builder.peer;
        reverseLevel = builder.reverseLevel;
    }

    /** Returns a builder of the parameters of a connection that speaks this version of the protocol, 1 or 2. */
    public static Builder builder(int version) {
        return new Builder(version);
    }

    /** Returns the version of the protocol. */
    public int version() {
        return version;
    }

    /** Returns the longest Send in each direction. */
    public InlineThresholds thresholds() {
        return thresholds;
    }

    /**
     * Returns, in version 1, whether both sides support remote invalidation: a reply may then invalidate a handle of
     * its call. Version 2 has no property for it: at a requester, whether its calls name a handle to invalidate; at a
     * responder, whether its replies invalidate the handle that a call names.
     */
    public boolean remoteInvalidation() {
        return remoteInvalidation;
    }

    /**
     * Returns the private data of the peer, or the defaults if it sent none that is valid. It has no meaning in version
     * 2.
     */
    public CmPrivateData peer() {
        return peer;
    }

    /**
     * Returns the features of reverse calls that the side that made the connection accepts; {@code null} in version 1,
     * in which upper protocols decide.
     */
    public @Nullable ReverseLevel reverseLevel() {
        return reverseLevel;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RpcRdmaParametersEvent that
                && version == that.version
                && thresholds.equals(that.thresholds)
                && remoteInvalidation == that.remoteInvalidation
                && peer.equals(that.peer)
                && reverseLevel == that.reverseLevel;
    }

    @Override
    public int hashCode() {
        return Objects.hash(version, thresholds, remoteInvalidation, peer, reverseLevel);
    }

    @Override
    public String toString() {
        return "RpcRdmaParametersEvent[version=" + version
                + ", thresholds=" + thresholds
                + ", remoteInvalidation=" + remoteInvalidation
                + ", peer=" + peer
                + ", reverseLevel=" + reverseLevel
                + ']';
    }

    /** Collects parameters. */
    public static final class Builder {

        private final int version;
        private InlineThresholds thresholds = InlineThresholds.DEFAULTS;
        private boolean remoteInvalidation;
        private CmPrivateData peer = CmPrivateData.DEFAULTS;
        private @Nullable ReverseLevel reverseLevel;

        private Builder(int version) {
            this.version = version;
        }

        /** Sets {@link RpcRdmaParametersEvent#thresholds()}. Default {@link InlineThresholds#DEFAULTS}. */
        public Builder thresholds(InlineThresholds value) {
            thresholds = Objects.requireNonNull(value, "thresholds");
            return this;
        }

        /** Sets {@link RpcRdmaParametersEvent#remoteInvalidation()}. Default false. */
        public Builder remoteInvalidation(boolean value) {
            remoteInvalidation = value;
            return this;
        }

        /** Sets {@link RpcRdmaParametersEvent#peer()}. Default {@link CmPrivateData#DEFAULTS}. */
        public Builder peer(CmPrivateData value) {
            peer = Objects.requireNonNull(value, "peer");
            return this;
        }

        /** Sets {@link RpcRdmaParametersEvent#reverseLevel()}. Default {@code null}. */
        public Builder reverseLevel(@Nullable ReverseLevel value) {
            reverseLevel = value;
            return this;
        }

        /** Returns the event. */
        public RpcRdmaParametersEvent build() {
            return new RpcRdmaParametersEvent(this);
        }
    }
}
