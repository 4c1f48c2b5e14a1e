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
