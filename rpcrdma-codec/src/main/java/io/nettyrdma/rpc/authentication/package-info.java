// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** Host authentication of version 2: a hook that authenticates the peer before any call. Part of the API. */
@NullMarked
@UnstableApi
package io.nettyrdma.rpc.authentication;

import io.netty.util.internal.UnstableApi;
import org.jspecify.annotations.NullMarked;
