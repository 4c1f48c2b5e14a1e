// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * The receives of one queue pair, in the form that its owner chooses.
 *
 * <p>Threading: the loop's. Ownership: of the memory that messages are received in.
 */
public interface Receives {

    /** Posts what is not posted. A failure is fatal for the queue pair. */
    void post(WorkRequestBatch requests) throws IOException;

    /**
     * A receive has completed.
     *
     * @param bytes     of the message
     * @param immediate immediate data, or the key that the peer has invalidated, as {@code flags} say
     * @param flags     sum of {@code VerbsConstants.WC_WITH_*}
     * @throws IOException if the message is not allowed; this ends the channel
     */
    void onReceived(int slot, int bytes, int immediate, int flags) throws IOException;

    /** A receive has failed or was flushed; nothing is received any more. */
    void onFlushed(int slot);

    /** Receives that are posted and not completed. */
    int outstanding();

    /** Stops posting, and returns memory that is not posted. The rest follows with its completions. */
    void close();

    /** Releases the memory of pending receives. The queue pair is destroyed and no longer uses it. */
    void abandon() throws IOException;
}
