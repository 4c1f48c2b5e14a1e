// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.nettyrdma.examples.nfs.protocol.AuthSys;
import java.time.Duration;

/**
 * How to talk to a server.
 *
 * @param rdmaPort       of NFS over RDMA, usually 20049
 * @param portmapperPort usually 111
 * @param mountPort      of the mount daemon; 0 asks the portmapper, and takes 20048 if there is none
 * @param reservedPort   whether to call the mount daemon from a port below 1024
 * @param credential     who is calling
 * @param timeout        of each connect and each call
 * @param transferBytes  longest READ and WRITE
 * @param callsInFlight  READs or WRITEs at a time; memory in use is this times {@code transferBytes}
 * @param lowestVersion  of RPC-over-RDMA, 1 or 2
 * @param highestVersion likewise
 */
public record NfsSettings(
        int rdmaPort,
        int portmapperPort,
        int mountPort,
        boolean reservedPort,
        AuthSys credential,
        Duration timeout,
        int transferBytes,
        int callsInFlight,
        int lowestVersion,
        int highestVersion) {}
