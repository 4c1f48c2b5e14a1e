// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * What both ends of NFS version 3 agree on: XDR, the headers and record marks of ONC RPC, and the numbers and data of
 * NFS and MOUNT. The client and the server in the packages beside this one are made of it, and of nothing of each
 * other.
 */
@NullMarked
package io.nettyrdma.examples.nfs.protocol;

import org.jspecify.annotations.NullMarked;
