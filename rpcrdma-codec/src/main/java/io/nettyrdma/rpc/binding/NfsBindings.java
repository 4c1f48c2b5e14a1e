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
package io.nettyrdma.rpc.binding;

/**
 * The upper-layer bindings of NFS and its side protocol (RFC 8267). MOUNT, NLM and NSM have none: they are not carried
 * over RDMA.
 *
 * <p>Threading: stateless.
 */
public final class NfsBindings {

    /** Program number of NFS. */
    public static final int NFS_PROGRAM = 100003;

    /**
     * Octets of path name to expect of READLINK. The protocols from version 3 on set no limit; this is the usual limit of
     * operating systems.
     */
    public static final int EXPECTED_PATH_BYTES = 4096;

    private NfsBindings() {}

    /** NFS version 3 (RFC 1813; RFC 8267, section 4). */
    public static UpperLayerBinding nfs3() {
        return Nfs3.BINDING;
    }
}
