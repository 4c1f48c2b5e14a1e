// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.util.Objects;

/**
 * {@link RdmaConnParam} with private data as bytes instead of a raw address, and with depths that fit 128. Callers pass
 * it to connect and accept; providers deliver it in {@link com.ibm.disni.verbs.RdmaCmEvent#getConn()}.
 *
 * <p>The inherited setters stay usable.
 *
 * <p>Threading: immutable once passed to a provider.
 */
public final class ConnectionParameters extends RdmaConnParam {

    private static final int MAX_DEPTH = 255;
    // InfiniBand and RoCE only. How often a lost packet is repeated: 7 is the maximum of the field, and repeats
    // without end on rxe (Linux 6.1).
    private static final byte RETRIES = 6;
    // How often a Send is repeated that found no receive: some seconds with rdma_cm's timer; 7 repeats without end.
    private static final byte RECEIVER_NOT_READY_RETRIES = 6;

    /** Lets the provider decide how long a Send of the peer may wait for a receive. */
    public static final int PROVIDERS_TIMEOUT = -1;

    private static final byte[] NONE = {};

    private final byte[] privateData;
    private final int responderResources;
    private final int initiatorDepth;
    private final int receiverNotReadyTimeoutMillis;

    /**
     * @param privateData        the bytes for the peer; the array is copied
     * @param responderResources inbound RDMA Reads this side can hold (IRD), 0 to 255
     * @param initiatorDepth     RDMA Reads this side wants outstanding (ORD), 0 to 255
     */
    public ConnectionParameters(byte[] privateData, int responderResources, int initiatorDepth) {
        this(privateData, responderResources, initiatorDepth, PROVIDERS_TIMEOUT);
    }

    /**
     * @param privateData        as above
     * @param responderResources as above
     * @param initiatorDepth     as above
     * @param receiverNotReadyTimeoutMillis how long a Send of the peer may wait for a receive of this side before the
     *                           connection ends; 0 ends it at once, {@link #PROVIDERS_TIMEOUT} leaves it to the
     *                           provider. More than 0 needs {@link RdmaCapabilities#waitsForReceives()}. It is local:
     *                           ignore it in a peer's parameters
     */
    public ConnectionParameters(
            byte[] privateData, int responderResources, int initiatorDepth, int receiverNotReadyTimeoutMillis) {
        this.privateData = Objects.requireNonNull(privateData, "privateData").length == 0 ? NONE : privateData.clone();
        this.responderResources = Ranges.require("responderResources", responderResources, 0, MAX_DEPTH);
        this.initiatorDepth = Ranges.require("initiatorDepth", initiatorDepth, 0, MAX_DEPTH);
        if (receiverNotReadyTimeoutMillis < PROVIDERS_TIMEOUT) {
            throw new IllegalArgumentException(
                    "receiverNotReadyTimeoutMillis: " + receiverNotReadyTimeoutMillis + " (expected: -1 or more)");
        }
        this.receiverNotReadyTimeoutMillis = receiverNotReadyTimeoutMillis;
        // The narrow fields of the base class serve providers that do not know this class.
        responder_resources = (byte) Math.min(responderResources, Byte.MAX_VALUE);
        initiator_depth = (byte) Math.min(initiatorDepth, Byte.MAX_VALUE);
        retry_count = RETRIES;
        rnr_retry_count = RECEIVER_NOT_READY_RETRIES;
        private_data_len = (byte) privateData.length;
    }

    /** Returns a copy of the private data; never {@code null}, possibly empty. */
    public byte[] privateData() {
        return privateData.length == 0 ? NONE : privateData.clone();
    }

    /** Returns how many inbound RDMA Reads the sender of these parameters can hold. */
    public int responderResources() {
        return responderResources;
    }

    /** Returns how many outstanding RDMA Reads the sender of these parameters wants. */
    public int initiatorDepth() {
        return initiatorDepth;
    }

    /** Returns how many milliseconds a Send of the peer may wait for a receive; -1: the provider's default. */
    public int receiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }
}
