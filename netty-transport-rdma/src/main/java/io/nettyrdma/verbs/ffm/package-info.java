// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A provider over the distribution's libibverbs and librdmacm, without C code of this project: {@code
 * java.lang.foreign} of Java 22 and newer, reached from Java 17 byte code.
 *
 * <p>What is needed for Linux's siw alone is in {@link io.nettyrdma.verbs.ffm.SiwQuirks}, which can go with that
 * kernel.
 */
@NullMarked
package io.nettyrdma.verbs.ffm;

import org.jspecify.annotations.NullMarked;
