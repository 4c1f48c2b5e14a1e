// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

/** Assigned numbers of the RPC programs that NFS takes. */
public final class RpcPrograms {

    /** NFS. */
    public static final int NFS = 100_003; // V1-127
    /** The version of NFS that RFC 1813 is about. */
    public static final int NFS_VERSION = 3;
    /** Port of NFS over RPC-over-RDMA (RFC 8267, section 6). */
    public static final int NFS_RDMA_PORT = 20_049; // V1-127

    /** MOUNT, which tells the first file handle. */
    public static final int MOUNT = 100_005;
    /** The version of MOUNT that belongs to NFS version 3 (RFC 1813, appendix I). */
    public static final int MOUNT_VERSION = 3;

    /** TCP port of mount daemons that have a fixed one. */
    public static final int MOUNT_PORT = 20_048;

    /** The portmapper, which tells the ports of other programs (RFC 1833, section 3). */
    public static final int PORTMAPPER = 100_000;
    /** The portmapper's version for Internet addresses of four octets. */
    public static final int PORTMAPPER_VERSION = 2;
    /** TCP port of portmappers. */
    public static final int PORTMAPPER_PORT = 111;

    private RpcPrograms() {}
}
