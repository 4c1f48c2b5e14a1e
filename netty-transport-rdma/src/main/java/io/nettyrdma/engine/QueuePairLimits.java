// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * The size of a queue pair.
 *
 * @param receiveCount   receives that are posted
 * @param receiveSetting the option that this comes from, for messages
 * @param sendDepth      Sends, RDMA Writes and RDMA Reads that are posted at once
 * @param sendSetting    as {@code receiveSetting}
 */
public record QueuePairLimits(int receiveCount, String receiveSetting, int sendDepth, String sendSetting) {

    /** Completions that can be owed at a time. */
    int completions() {
        return receiveCount + sendDepth;
    }
}
