// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * RPC messages between handlers and applications, and the parts of ONC RPC (RFC 5531) and XDR (RFC 4506) needed to
 * carry them. Independent of RDMA.
 */
@NullMarked
package io.nettyrdma.rpc.message;

import org.jspecify.annotations.NullMarked;
