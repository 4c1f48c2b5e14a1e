// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Version 2 of the protocol (draft -01): negotiation of the version, transport properties, credits, and messages in
 * fragments. Only {@link io.nettyrdma.rpc.version2.Version2Links} and its settings are known outside.
 */
@NullMarked
package io.nettyrdma.rpc.version2;

import org.jspecify.annotations.NullMarked;
