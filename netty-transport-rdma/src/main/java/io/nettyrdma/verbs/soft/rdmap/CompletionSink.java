// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/** Where work queues put the completions of their requests, in the order in which these complete. */
public interface CompletionSink {

    /**
     * Takes a completion.
     *
     * @param wrId      what the request was posted with
     * @param status    {@code VerbsConstants.WC_*_ERR} or {@code WC_SUCCESS}
     * @param opcode    {@code VerbsConstants.WC_SEND}, {@code WC_RDMA_WRITE}, {@code WC_RDMA_READ} or {@code WC_RECV}
     * @param byteCount octets of the message; of a failed request undefined
     * @param immData   the key that the peer has invalidated, if the flags say so
     * @param qpNum     number of the queue pair
     * @param flags     {@code VerbsConstants.WC_WITH_INV} or 0
     * @return false if there was no room for it, so that the queue pair has to go to error; it is kept all the same
     */
    boolean push(long wrId, int status, int opcode, int byteCount, int immData, int qpNum, int flags);
}
