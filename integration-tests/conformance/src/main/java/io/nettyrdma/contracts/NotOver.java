// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.Lane;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A contract does not hold over some lanes, or is not tested over them. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(NotOver.All.class)
public @interface NotOver {

    /** The lanes. */
    Lane[] value();

    /** Why. */
    String reason();

    /** Several of them. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface All {

        /** All of one contract. */
        NotOver[] value();
    }
}
