// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs;

import io.nettyrdma.verbs.spi.ConnectionParameters;

/**
 * Capabilities of a device beyond the basics of {@code com.ibm.disni.verbs}. Channels take limits and fall-backs from
 * here; they never ask which provider they run on.
 *
 * <p>Threading: immutable.
 */
public final class RdmaCapabilities {

    private final boolean sendInvalidate;
    private final boolean remoteInvalidation;
    private final boolean memoryWindows;
    private final boolean cheapRegistration;
    private final boolean immediateData;
    private final boolean waitsForReceives;
    private final int receiverNotReadyTimeoutMillis;
    private final PrivateDataLimits privateData;
    private final int maxReadsInFlight;
    private final int maxQueueDepth;
    private final int maxCompletions;

    private RdmaCapabilities(Builder builder) {
        sendInvalidate = builder.sendInvalidate;
        remoteInvalidation = builder.remoteInvalidation;
        memoryWindows = builder.memoryWindows;
        cheapRegistration = builder.cheapRegistration;
        immediateData = builder.immediateData;
        waitsForReceives = builder.waitsForReceives;
        receiverNotReadyTimeoutMillis = builder.receiverNotReadyTimeoutMillis;
        privateData = builder.privateData;
        maxReadsInFlight = builder.maxReadsInFlight;
        maxQueueDepth = builder.maxQueueDepth;
        maxCompletions = builder.maxCompletions;
    }

    /** Returns a builder of a device that can do nothing optional. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns whether Send with Invalidate can be sent. */
    public boolean sendInvalidate() {
        return sendInvalidate;
    }

    /**
     * Returns whether the peer may invalidate memory of this side by a Send with Invalidate; if not, such a Send ends
     * the connection.
     */
    public boolean remoteInvalidation() {
        return remoteInvalidation;
    }

    /**
     * Returns whether the peer may invalidate only memory that a memory window of type 2 exposes; channels expose all
     * memory by one.
     */
    public boolean memoryWindows() {
        return memoryWindows;
    }

    /** Returns whether registering memory needs no kernel call and costs less than copying 32 KiB. */
    public boolean cheapRegistration() {
        return cheapRegistration;
    }

    /** Returns whether Sends and RDMA Writes can carry immediate data (siw refuses them). */
    public boolean immediateData() {
        return immediateData;
    }

    /**
     * Returns whether a Send of the peer that finds no receive waits for one, up to {@link
     * ConnectionParameters#receiverNotReadyTimeoutMillis()}; else the connection ends, at once or after the peer's
     * device has repeated the Send a few times.
     */
    public boolean waitsForReceives() {
        return waitsForReceives;
    }

    /** Returns how many milliseconds it waits unless the connection says otherwise; 0 if not at all. */
    public int receiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }

    /** Returns the longest private data of connects, accepts and rejects. The CM event delivers the peer's. */
    public PrivateDataLimits privateData() {
        return privateData;
    }

    /** Returns the largest number of RDMA Reads outstanding per queue pair and direction. */
    public int maxReadsInFlight() {
        return maxReadsInFlight;
    }

    /** Returns the largest number of work requests per send or receive queue, {@link Integer#MAX_VALUE} if unknown. */
    public int maxQueueDepth() {
        return maxQueueDepth;
    }

    /** Returns the largest number of entries of a completion queue, {@link Integer#MAX_VALUE} if unknown. */
    public int maxCompletions() {
        return maxCompletions;
    }

    @Override
    public String toString() {
        return "RdmaCapabilities["
                + "sendInvalidate=" + sendInvalidate
                + ", remoteInvalidation=" + remoteInvalidation
                + ", memoryWindows=" + memoryWindows
                + ", cheapRegistration=" + cheapRegistration
                + ", immediateData=" + immediateData
                + ", waitsForReceives=" + waitsForReceives
                + ", receiverNotReadyTimeoutMillis=" + receiverNotReadyTimeoutMillis
                + ", privateData=" + privateData
                + ", maxReadsInFlight=" + maxReadsInFlight
                + ", maxQueueDepth=" + maxQueueDepth
                + ", maxCompletions=" + maxCompletions
                + ']';
    }

    /** Collects capabilities. */
    public static final class Builder {

        private boolean sendInvalidate;
        private boolean remoteInvalidation;
        private boolean memoryWindows;
        private boolean cheapRegistration;
        private boolean immediateData;
        private boolean waitsForReceives;
        private int receiverNotReadyTimeoutMillis;
        private PrivateDataLimits privateData = PrivateDataLimits.NONE;
        private int maxReadsInFlight;
        private int maxQueueDepth = Integer.MAX_VALUE;
        private int maxCompletions = Integer.MAX_VALUE;

        private Builder() {}

        /** Sets {@link RdmaCapabilities#sendInvalidate()}. Default false. */
        public Builder sendInvalidate(boolean value) {
            sendInvalidate = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#remoteInvalidation()}. Default false. */
        public Builder remoteInvalidation(boolean value) {
            remoteInvalidation = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#memoryWindows()}. Default false. */
        public Builder memoryWindows(boolean value) {
            memoryWindows = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#cheapRegistration()}. Default false. */
        public Builder cheapRegistration(boolean value) {
            cheapRegistration = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#immediateData()}. Default false. */
        public Builder immediateData(boolean value) {
            immediateData = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#waitsForReceives()}. Default false. */
        public Builder waitsForReceives(boolean value) {
            waitsForReceives = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#receiverNotReadyTimeoutMillis()}. Default 0. */
        public Builder receiverNotReadyTimeoutMillis(int value) {
            receiverNotReadyTimeoutMillis = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#privateData()}. Default none. */
        public Builder privateData(PrivateDataLimits value) {
            privateData = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#maxReadsInFlight()}. Default 0. */
        public Builder maxReadsInFlight(int value) {
            maxReadsInFlight = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#maxQueueDepth()}. Default unknown. */
        public Builder maxQueueDepth(int value) {
            maxQueueDepth = value;
            return this;
        }

        /** Sets {@link RdmaCapabilities#maxCompletions()}. Default unknown. */
        public Builder maxCompletions(int value) {
            maxCompletions = value;
            return this;
        }

        /** Returns the capabilities collected so far. */
        public RdmaCapabilities build() {
            return new RdmaCapabilities(this);
        }
    }
}
