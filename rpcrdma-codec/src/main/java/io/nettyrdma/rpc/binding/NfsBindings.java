// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.nettyrdma.internal.Ranges;

/**
 * The upper-layer bindings of NFS and its side protocol (RFC 8267). MOUNT, NLM and NSM have none: they are not carried
 * over RDMA.
 *
 * <p>Threading: stateless.
 */
public final class NfsBindings {

    /** Program number of NFS. */
    public static final int NFS_PROGRAM = 100003;

    /** Program number of NFSACL, the side protocol for access control lists. */
    public static final int NFSACL_PROGRAM = 100227;

    /**
     * Bytes of reply to expect by default when NFS version 4 sets no limit: access control lists, locations, layouts,
     * unknown operations.
     */
    public static final int UNBOUNDED_REPLY_BYTES = 64 * 1024;

    /**
     * Bytes of path name to expect of READLINK. The protocols from version 3 on set no limit; this is the usual limit
     * of operating systems.
     */
    public static final int EXPECTED_PATH_BYTES = 4096;

    private NfsBindings() {}

    /** NFS version 2 (RFC 1094; RFC 8267, section 4). */
    public static UpperLayerBinding nfs2() {
        return Nfs2.BINDING;
    }

    /** NFS version 3 (RFC 1813; RFC 8267, section 4). */
    public static UpperLayerBinding nfs3() {
        return Nfs3.BINDING;
    }

    /** NFS versions 4.0, 4.1 and 4.2 with {@link #UNBOUNDED_REPLY_BYTES}. */
    public static UpperLayerBinding nfs4() {
        return Nfs4Binding.DEFAULT;
    }

    /**
     * NFS versions 4.0, 4.1 and 4.2 (RFC 8267, section 6).
     *
     * @param unboundedReplyBytes bytes of reply to expect when the protocol sets no limit, 0 to 2<sup>30</sup>: a
     *     requester keeps as much memory for the reply to each such call, and the call fails if the reply is longer.
     *     The {@code ca_maxresponsesize} of a session is always enough
     * @throws IllegalArgumentException if out of range
     */
    public static UpperLayerBinding nfs4(int unboundedReplyBytes) {
        return new Nfs4Binding(Ranges.require("unboundedReplyBytes", unboundedReplyBytes, 0, 1 << 30));
    }

    /** NFSACL for NFS version 2: nothing is ever reduced (RFC 8267, section 5.2). */
    public static UpperLayerBinding nfsAcl2() {
        return NfsAcl.BINDING_2;
    }

    /** NFSACL for NFS version 3: nothing is ever reduced (RFC 8267, section 5.2). */
    public static UpperLayerBinding nfsAcl3() {
        return NfsAcl.BINDING_3;
    }
}
