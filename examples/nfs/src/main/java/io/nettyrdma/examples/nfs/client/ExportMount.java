// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.nettyrdma.examples.nfs.protocol.FileHandle;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The mounted directory nearest to a file.
 *
 * @param handle its handle
 * @param depth  how many names of the file's directory lead to it
 */
record ExportMount(FileHandle handle, int depth) {

    /**
     * Mounts. Servers differ in whether MNT takes directories below an exported one, and nobody says where the export
     * begins, so the longest path is tried first. If all are refused, the first refusal is the one to be told.
     */
    static ExportMount of(NfsLocation file, MountClient mounts, InetSocketAddress daemon)
            throws IOException, InterruptedException {
        @Nullable Nfs3Exception refusal = null;
        for (int depth = file.directory().size(); ; depth--) {
            try {
                return new ExportMount(mounts.mount(daemon, file.path(depth)), depth);
            } catch (Nfs3Exception e) {
                refusal = refusal == null ? e : refusal;
                if (depth == 0) {
                    throw refusal;
                }
            }
        }
    }
}
