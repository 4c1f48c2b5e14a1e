// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** Host authentication of version 2: a hook that authenticates the peer before any call. Part of the API. */
@NullMarked
package io.nettyrdma.rpc.authentication;

import org.jspecify.annotations.NullMarked;
