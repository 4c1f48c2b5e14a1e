// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;

/**
 * What one connection can make a responder hold, as {@link RpcRdmaConfig} says it: the sum of its limits. Sizes are
 * taken to be powers of two, as registered memory comes in these.
 */
record ResponderBudget(RpcRdmaConfig config) {

    /** Netty's outbound buffer counts this for each message besides its octets. */
    static final int PENDING_OVERHEAD_BYTES = 96;

    private static final int MESSAGES_PER_READ = 32;
    private static final int HIGH_WATER_MARK_BYTES = 64 * 1024;

    static ResponderBudget of(RpcRdmaConfig.Builder config) {
        return new ResponderBudget(config.build());
    }

    /** Receives posted. */
    int receives() {
        return TestLimits.responder(config).credits()
                + TestLimits.session(config).receiveReserve()
                + TestLimits.session(config).reverseCredits();
    }

    /** Calls received and not answered. */
    int calls() {
        return TestLimits.responder(config).credits()
                + TestLimits.session(config).receiveReserve()
                - 1
                + Math.min(MESSAGES_PER_READ, receives());
    }

    /** Posted receives, and the messages that calls in progress came in. */
    long messageBytes() {
        return (long) (receives() + calls()) * TestLimits.session(config).inlineReceiveBytes();
    }

    /** Of read chunks that are on their way. */
    long pullingBytes() {
        return Math.max(
                TestLimits.responder(config).maxPullingBytes(),
                TestLimits.responder(config).maxCallBytes());
    }

    /** Of read chunks that the application has. */
    long pulledBytes() {
        return (long) calls() * TestLimits.responder(config).maxCallBytes();
    }

    /**
     * Of replies to chunks. What is not in registered memory yet is copied there, or registered where it is, to be
     * written.
     *
     * @param resultBytes octets of each; a buffer for one is up to twice as long
     */
    long pushingBytes(int resultBytes) {
        return 2 * Math.max(TestLimits.responder(config).maxPushingBytes(), resultBytes)
                + (long) calls() * (TestLimits.session(config).inlineSendBytes() + PENDING_OVERHEAD_BYTES);
    }

    /**
     * In the outbound buffer: what is in it before the channel becomes unwritable, and what answers the messages of one
     * read.
     *
     * @param answerBytes octets of each answer
     */
    long pendingBytes(int answerBytes) {
        return HIGH_WATER_MARK_BYTES + (long) calls() * (answerBytes + PENDING_OVERHEAD_BYTES);
    }
}
