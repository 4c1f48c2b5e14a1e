// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A small NFS version 3 client over RPC-over-RDMA: {@link io.nettyrdma.examples.nfs.client.Nfs3Client} speaks NFS,
 * {@link io.nettyrdma.examples.nfs.client.MountClient} asks for the first file handle over TCP, and
 * {@link io.nettyrdma.examples.nfs.client.FileDownload} and {@link io.nettyrdma.examples.nfs.client.FileUpload} copy a
 * file with many calls in flight.
 *
 * <p>The codec, for the most part in {@link io.nettyrdma.examples.nfs.protocol}, is its own, a few lines per procedure,
 * because it works on {@code ByteBuf}: the data of READ and WRITE is never copied between a file's buffer and the wire.
 * Hadoop's NFS classes copy it through arrays, expect file handles as long as HDFS's, and read attributes from READ
 * replies of servers that left them out.
 */
@NullMarked
package io.nettyrdma.examples.nfs.client;

import org.jspecify.annotations.NullMarked;
