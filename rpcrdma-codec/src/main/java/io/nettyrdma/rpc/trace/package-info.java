// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * How the handlers tell what happens: to the listener of {@link io.nettyrdma.rpc.observe}, to Flight Recorder and to
 * the log.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.trace;

import org.jspecify.annotations.NullMarked;
