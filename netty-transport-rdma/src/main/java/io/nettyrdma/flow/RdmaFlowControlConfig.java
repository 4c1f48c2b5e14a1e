// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.internal.Ranges;

/**
 * Settings of {@link RdmaFlowControlHandler}. The two sides of a connection may have different ones.
 *
 * <p>Threading: immutable.
 */
public final class RdmaFlowControlConfig {

    private static final RdmaFlowControlConfig DEFAULTS = builder().build();

    private final int maxMessageBytes;
    private final boolean confirmsDelivery;
    private final boolean allowsPeersWithout;

    private RdmaFlowControlConfig(Builder builder) {
        maxMessageBytes = builder.maxMessageBytes;
        confirmsDelivery = builder.confirmsDelivery;
        allowsPeersWithout = builder.allowsPeersWithout;
    }

    /** Returns the default settings. */
    public static RdmaFlowControlConfig defaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the limit of bytes of a message that this side receives. */
    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Returns whether the promise of a write succeeds only when the peer's handler has the message. */
    public boolean confirmsDelivery() {
        return confirmsDelivery;
    }

    /** Returns whether this side talks to peers without flow control. */
    public boolean allowsPeersWithout() {
        return allowsPeersWithout;
    }

    /** Collects settings. All methods throw {@link IllegalArgumentException} for values out of range. */
    public static final class Builder {

        private int maxMessageBytes = 1024 * 1024;
        private boolean confirmsDelivery;
        private boolean allowsPeersWithout;

        private Builder() {}

        /**
         * Sets the longest message that this side receives, in bytes, and tells it to the peer. A longer one than
         * {@link RdmaChannelOption#RDMA_RECEIVE_SIZE} less 8 arrives in pieces; one unfinished message of each
         * connection is in memory at a time. Default 1 MiB, 1 to 2<sup>31</sup>-1.
         */
        public Builder maxMessageBytes(int bytes) {
            maxMessageBytes = Ranges.require("maxMessageBytes", bytes, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Sets whether the promise of a write succeeds only when the message was passed to the handler behind the
         * peer's {@link RdmaFlowControlHandler}. It fails if the connection ends before this side hears of that. The
         * peer answers up to a batch of messages with one of its own, or with 8 bytes. Default false: the promise
         * succeeds when the Send has completed, as {@link RdmaChannel} has it.
         */
        public Builder confirmsDelivery(boolean confirms) {
            confirmsDelivery = confirms;
            return this;
        }

        /**
         * Sets whether a peer whose private data does not begin with an offer of flow control is spoken to without:
         * the handler removes itself then, and the protocol above must limit itself. A server without flow control
         * finds the 16 bytes of the offer before the private data of this side. Default false: such a peer's request
         * is rejected, and a connection to such a peer closed, with {@link RdmaFlowControlException}.
         */
        public Builder allowsPeersWithout(boolean allows) {
            allowsPeersWithout = allows;
            return this;
        }

        /** Returns the settings collected so far. */
        public RdmaFlowControlConfig build() {
            return new RdmaFlowControlConfig(this);
        }
    }
}
