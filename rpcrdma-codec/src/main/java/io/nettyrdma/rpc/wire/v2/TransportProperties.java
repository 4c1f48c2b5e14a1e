// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one side has told of itself (draft -01, section 5.2), with the defaults for what it has not told, and values
 * that make no sense brought into a range that does (C21). None of them is authenticated (section 11.3), so none sizes
 * memory by itself.
 *
 * <p>Threading: immutable.
 *
 * @param sendBytes         octets of its longest Send, 1024 to what this side supports
 * @param receiveBytes      octets of its Receives, 1024 to what this side supports
 * @param segmentBytes      octets of the longest segment it takes, 0 to 2<sup>32</sup>-1
 * @param segmentsPerHeader segments it takes in one header, 0 to 2<sup>31</sup>-1
 * @param reverseLevel      what calls to it in the reverse direction may use
 * @param authentication    the property with its latest token, {@code null} if there is none
 */
public record TransportProperties(
        int sendBytes,
        int receiveBytes,
        long segmentBytes,
        int segmentsPerHeader,
        ReverseLevel reverseLevel,
        @Nullable TransportProperty authentication) {

    /** What holds for a side that has told nothing. */
    public static final TransportProperties DEFAULTS =
            new TransportProperties(4096, 4096, 1 << 20, 16, ReverseLevel.NONE, null);

    private static final int MIN_MESSAGE_BYTES = 1024;

    /** A copy of the token of host authentication, {@code null} if there is none. */
    public byte @Nullable [] token() {
        return authentication == null ? null : authentication.token();
    }

    /**
     * These properties after another set, of which the last one of each kind counts; those it does not have stay, and
     * those that are not known are skipped.
     *
     * @param set             as the decoder has passed it
     * @param maxMessageBytes octets of the longest message this side supports, 1024 or more
     */
    public TransportProperties apply(List<TransportProperty> set, int maxMessageBytes) {
        int send = sendBytes;
        int receive = receiveBytes;
        long segment = segmentBytes;
        int segments = segmentsPerHeader;
        ReverseLevel reverse = reverseLevel;
        @Nullable TransportProperty token = authentication;
        for (TransportProperty property : set) { // V2-083
            long number = property.number();
            switch (property.id()) {
                case Rdma2.SBSIZ -> send = messageBytes(property, DEFAULTS.sendBytes, maxMessageBytes); // V2-085
                case Rdma2.RBSIZ -> receive = messageBytes(property, DEFAULTS.receiveBytes, maxMessageBytes); // V2-086
                case Rdma2.RSSIZ -> segment = number < 0 ? DEFAULTS.segmentBytes : number; // V2-088
                case Rdma2.RCSIZ ->
                    segments = number < 0 ? DEFAULTS.segmentsPerHeader : (int) Math.min(number, Integer.MAX_VALUE);
                case Rdma2.BRS -> reverse = number < 0 ? DEFAULTS.reverseLevel : ReverseLevel.of(number);
                case Rdma2.HOSTAUTH -> token = hasToken(property) ? property : null;
                default -> {} // of an extension. V2-169
            }
        }
        return new TransportProperties(send, receive, segment, segments, reverse, token);
    }

    /** An empty token is none (C21). */
    private static boolean hasToken(TransportProperty property) {
        byte @Nullable [] token = property.token();
        return token != null && token.length > 0;
    }

    private static int messageBytes(TransportProperty property, int otherwise, int maxMessageBytes) {
        return property.isDefault()
                ? otherwise
                : (int) Math.max(MIN_MESSAGE_BYTES, Math.min(property.number(), maxMessageBytes));
    }
}
