// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.lang.reflect.InvocationTargetException;

/** Runs a program, the class that its argument names, and ends the JVM, as threads of some live on. */
final class ProgramMain {

    private static final int STATUS_FAILED = 1;

    private ProgramMain() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        try {
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            e.getCause().printStackTrace();
            System.exit(STATUS_FAILED);
        }
        System.exit(0);
    }
}
