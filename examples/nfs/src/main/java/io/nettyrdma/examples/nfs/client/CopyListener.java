// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

/**
 * Watches a file being copied.
 *
 * <p>Threading: the thread that copies.
 */
public interface CopyListener {

    /** Does not care. */
    CopyListener NONE = new CopyListener() {
        @Override
        public void onStarted(long totalBytes) {}

        @Override
        public void onCopied(long bytes) {}
    };

    /** The file's length is known. */
    void onStarted(long totalBytes);

    /** So many octets more are copied; less than 0 if they have to be copied again. */
    void onCopied(long bytes);
}
