// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The parts of DiSNI's verbs that are the same for the providers {@code soft} and {@code native}: calls that are made
 * once and executed any number of times.
 */
@NullMarked
package io.nettyrdma.verbs.face;

import org.jspecify.annotations.NullMarked;
