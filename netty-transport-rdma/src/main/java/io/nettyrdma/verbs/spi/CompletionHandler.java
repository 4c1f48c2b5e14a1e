// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

/** Gets the completions of a queue, one after the other. */
public interface CompletionHandler {

    /**
     * A request has completed.
     *
     * @param id        what the request was posted with; this and {@code status} alone are valid if it has failed
     * @param status    {@code IBV_WC_*}, 0 for success
     * @param opcode    {@code IBV_WC_*} of the kind of request
     * @param bytes     of the message
     * @param immediate immediate data, or the key that the peer has invalidated, as {@code flags} say
     * @param queuePair number of the queue pair
     * @param flags     sum of {@code VerbsConstants.WC_WITH_*}
     */
    void onCompletion(long id, int status, int opcode, int bytes, int immediate, int queuePair, int flags);
}
