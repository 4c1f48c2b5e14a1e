// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;

/** Makes the link of the handler at the bottom of a pipeline: one of version 1, or one that finds its version. */
@FunctionalInterface
public interface LinkFactory {

    /** Creates the link of a new connection. */
    ConnectionLink create(
            RpcRdmaRole role, SessionSettings settings, ParameterAgreement agreement, RpcRdmaObserver observer);
}
