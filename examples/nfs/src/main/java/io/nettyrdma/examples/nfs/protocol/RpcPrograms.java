/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
