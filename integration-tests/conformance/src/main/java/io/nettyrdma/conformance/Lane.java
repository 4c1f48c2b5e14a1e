// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.util.Locale;

/** Providers and devices that tests with {@code @Over} run over. */
public enum Lane {
    /** The software provider. */
    SOFT,
    /** The strict device, which is as unhelpful as a device may be. */
    STRICT,
    /** The software provider's thread behind DiSNI's API. */
    DISNI,
    /** The provider {@code native} over the kernel's siw. */
    SIW,
    /** The provider {@code native} over the kernel's rxe. */
    RXE;

    private static final Lane TESTED =
            valueOf(System.getProperty("test.over", "soft").toUpperCase(Locale.ROOT));

    /** Returns what the tests of this JVM run over: {@code -Dtest.over}, by default the software provider. */
    public static Lane tested() {
        return TESTED;
    }

    /**
     * Returns whether builds of their own test it ({@code -Dtest.over=disni} and the profile {@code lab}): only
     * contracts, not other tests with {@code @Over}.
     */
    public boolean isOfOtherBuilds() {
        return this == DISNI || isDevice();
    }

    /** Returns whether it is a device of the kernel. */
    public boolean isDevice() {
        return this == SIW || this == RXE;
    }

    /** Returns its name for properties and files. */
    public String lowerCase() {
        return name().toLowerCase(Locale.ROOT);
    }
}
