// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/**
 * For authors of verbs providers: {@link io.nettyrdma.verbs.spi.RdmaProviderFactory} offers one, and {@link
 * io.nettyrdma.verbs.spi.VerbsExtensions} has all functions that DiSNI's API, {@code com.ibm.disni.verbs}, lacks.
 *
 * <p><b>Unstable.</b> These types change with any release. Programs that use channels need none of them.
 */
@NullMarked
@UnstableApi
package io.nettyrdma.verbs.spi;

import io.netty.util.internal.UnstableApi;
import org.jspecify.annotations.NullMarked;
