// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;

/** One of the two libraries of rdma-core. Threading: immutable. */
final class RdmaCoreLibrary {

    static final String VERBS = "libibverbs.so.1";
    static final String CM = "librdmacm.so.1";

    /** In which Debian has the libraries, and what they need to find devices. */
    static final String PACKAGES = "librdmacm1, libibverbs1 and ibverbs-providers";

    private final Foreign foreign;
    private final Object symbols;
    private final String soname;

    private RdmaCoreLibrary(Foreign foreign, String soname) {
        this.foreign = foreign;
        this.soname = soname;
        try {
            symbols = foreign.library(soname);
        } catch (IllegalArgumentException e) {
            throw missing(soname + " does not load (" + e.getMessage() + ')', e);
        }
    }

    /**
     * @param soname such as {@code libibverbs.so.1}
     * @throws UnsatisfiedLinkError   if it does not load; the message says what to install
     * @throws IllegalCallerException if native access is denied
     */
    static RdmaCoreLibrary load(String soname) {
        return new RdmaCoreLibrary(Foreign.get(), soname);
    }

    /** Tries both, with the exceptions of {@link #load}. */
    static void checkLoad() {
        load(VERBS);
        load(CM);
    }

    /** @throws UnsatisfiedLinkError if the library does not have it */
    MethodHandle function(String name, Class<?> result, Class<?>... parameters) {
        try {
            return foreign.function(symbols, name, methodType(result, parameters));
        } catch (UnsatisfiedLinkError e) {
            throw missing(soname + " has no function " + name, e);
        }
    }

    private static UnsatisfiedLinkError missing(String what, Throwable cause) {
        UnsatisfiedLinkError error =
                new UnsatisfiedLinkError(what + "; install the libraries of rdma-core (Debian: " + PACKAGES + ')');
        error.initCause(cause);
        return error;
    }
}
