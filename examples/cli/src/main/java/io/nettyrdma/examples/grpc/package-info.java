// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** gRPC over byte streams: a service without generated code, its server and its client, which take the transport. */
@NullMarked
package io.nettyrdma.examples.grpc;

import org.jspecify.annotations.NullMarked;
