// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Stands at a numeric option and says which values it takes; {@link Program} refuses all others. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@interface InRange {

    /** The highest TCP port. */
    int MAX_PORT = 0xffff;

    /** Smallest value. */
    int from();

    /** Largest value. */
    int to() default Integer.MAX_VALUE;
}
