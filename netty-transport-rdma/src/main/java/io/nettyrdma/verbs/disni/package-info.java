// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Channels over any provider that knows DiSNI's API alone, first of all DiSNI's own over libdisni: what
 * {@link io.nettyrdma.verbs.spi.VerbsExtensions} asks for beyond that API is made of it, or refused by name.
 */
@NullMarked
package io.nettyrdma.verbs.disni;

import org.jspecify.annotations.NullMarked;
