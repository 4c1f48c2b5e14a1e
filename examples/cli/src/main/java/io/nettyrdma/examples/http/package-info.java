// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * An HTTP server of files, on a byte stream over RDMA or TCP: one bootstrap, one pipeline for HTTP/1.1 and one for the
 * streams of HTTP/2, which end in the same handler.
 */
@NullMarked
package io.nettyrdma.examples.http;

import org.jspecify.annotations.NullMarked;
