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

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.internal.Ranges;
import java.util.Objects;

/**
 * {@link RdmaConnParam} with private data as octets instead of a raw address, and with depths that fit 128. Used for
 * connect and accept, and delivered by providers in {@link com.ibm.disni.verbs.RdmaCmEvent#getConn()}.
 *
 * <p>The inherited setters stay usable; a provider that finds a plain {@link RdmaConnParam} reads that one instead.
 *
 * <p>Threading: immutable once passed to a provider.
 */
public final class ConnectionParameters extends RdmaConnParam {

    private static final int MAX_DEPTH = 255;
    // InfiniBand and RoCE only. How often a lost packet is repeated: 7 is the most that the field can say, and without
    // end on rxe (Linux 6.1).
    private static final byte RETRIES = 6;
    // How often a Send is repeated that found no receive: some seconds with rdma_cm's timer; 7 would be without end.
    private static final byte RECEIVER_NOT_READY_RETRIES = 6;

    /** Leaves it to the provider how long a Send of the peer may wait for a receive. */
    public static final int PROVIDERS_TIMEOUT = -1;

    private static final byte[] NONE = {};

    private final byte[] privateData;
    private final int responderResources;
    private final int initiatorDepth;
    private final int receiverNotReadyTimeoutMillis;

    /**
     * @param privateData        the octets for the peer; the array is copied
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
     *                           provider. Needs {@link RdmaCapabilities#waitsForReceives()} if it is more than 0. It
     *                           stays on this side: what a peer's parameters say here means nothing
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
        // The narrow fields of the base class serve providers that know nothing of this one.
        responder_resources = (byte) Math.min(responderResources, Byte.MAX_VALUE);
        initiator_depth = (byte) Math.min(initiatorDepth, Byte.MAX_VALUE);
        retry_count = RETRIES;
        rnr_retry_count = RECEIVER_NOT_READY_RETRIES;
        private_data_len = (byte) privateData.length;
    }

    /** The private data; a copy, never {@code null}, empty if there is none. */
    public byte[] privateData() {
        return privateData.length == 0 ? NONE : privateData.clone();
    }

    /** Inbound RDMA Reads that the side which sent these parameters can hold. */
    public int responderResources() {
        return responderResources;
    }

    /** RDMA Reads that the side which sent these parameters wants to have outstanding. */
    public int initiatorDepth() {
        return initiatorDepth;
    }

    /** How long a Send of the peer may wait for a receive, in milliseconds; 0 not at all, -1 as the provider does. */
    public int receiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }
}
