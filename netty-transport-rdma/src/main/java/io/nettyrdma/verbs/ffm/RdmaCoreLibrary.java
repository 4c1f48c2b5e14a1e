// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static java.lang.invoke.MethodType.methodType;

import io.nettyrdma.verbs.ProviderNeed;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One of the two libraries of rdma-core. Threading: immutable. */
final class RdmaCoreLibrary {

    static final String VERBS = "libibverbs.so.1";
    static final String CM = "librdmacm.so.1";

    /** In which Debian has the libraries, and what they need to find devices. */
    static final String PACKAGES = "librdmacm1, libibverbs1 and ibverbs-providers";

    /** Where systems have libraries. */
    private static final List<String> FOLDERS =
            List.of("usr/lib64", "lib64", "usr/lib", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu");

    private final Foreign foreign;
    private final Object symbols;
    private final String soname;

    private RdmaCoreLibrary(Foreign foreign, String soname) {
        this.foreign = foreign;
        this.soname = soname;
        try {
            symbols = foreign.library(soname);
        } catch (IllegalArgumentException e) {
            throw error(soname + " does not load (" + e.getMessage() + ')', e);
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

    /**
     * The need of both.
     *
     * @param root    of the files of the machine
     * @param mayLoad whether Java can load them, which alone is sure; else the usual folders are looked into
     */
    static ProviderNeed need(Path root, boolean mayLoad) {
        return new ProviderNeed(
                VERBS + " and " + CM,
                mayLoad ? loadDefect(root) : folderDefect(root),
                "apt install librdmacm1 libibverbs1 ibverbs-providers, or: dnf install rdma-core libibverbs librdmacm");
    }

    private static @Nullable String loadDefect(Path root) {
        try {
            checkLoad();
            return null;
        } catch (UnsatisfiedLinkError e) {
            return e.getMessage();
        } catch (IllegalCallerException e) {
            return folderDefect(root);
        }
    }

    private static @Nullable String folderDefect(Path root) {
        return Stream.of(VERBS, CM)
                .filter(name -> FOLDERS.stream()
                        .noneMatch(folder -> Files.exists(root.resolve(folder).resolve(name))))
                .findFirst()
                .map(name -> missing(name + " is in no usual folder"))
                .orElse(null);
    }

    /** @throws UnsatisfiedLinkError if the library does not have it */
    MethodHandle function(String name, Class<?> result, Class<?>... parameters) {
        try {
            return foreign.function(symbols, name, methodType(result, parameters));
        } catch (UnsatisfiedLinkError e) {
            throw error(soname + " has no function " + name, e);
        }
    }

    private static UnsatisfiedLinkError error(String what, Throwable cause) {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError(missing(what));
        error.initCause(cause);
        return error;
    }

    private static String missing(String what) {
        return what + "; install the libraries of rdma-core (Debian: " + PACKAGES + ')';
    }
}
