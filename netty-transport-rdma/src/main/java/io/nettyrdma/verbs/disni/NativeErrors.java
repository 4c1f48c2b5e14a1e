// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.util.Locale;

/**
 * What libdisni's exceptions mean. It reports a failed call by an {@link IOException} that names C functions and ends
 * with the text of {@code strerror(3)}, which is all that is left of the error number:
 *
 * <pre>j2c::connect: rdma_connect failed: Connection refused</pre>
 *
 * <p>The text is in the language of the process, so most of what is made of it does not depend on the words.
 *
 * <p>Threading: static.
 */
final class NativeErrors {

    private NativeErrors() {}

    /** Why {@code address} was not reached. */
    static IOException connecting(IOException cause, Object address) {
        String words = words(cause);
        IOException told =
                switch (words.toLowerCase(Locale.ROOT)) {
                    case "no route to host", "network is unreachable", "host is down" ->
                        new NoRouteToHostException(words + ": " + address);
                    case "no such device" -> new ConnectException(words + ": no RDMA device leads to " + address);
                    default -> new ConnectException(words + ": " + address);
                };
        told.initCause(cause);
        return told;
    }

    /** Why {@code address} could not be made the local one. */
    static IOException binding(IOException cause, Object address) {
        String words = words(cause);
        // No such device: the address is one of this host, but of no RDMA device.
        BindException told = new BindException(words + ": " + address);
        told.initCause(cause);
        return told;
    }

    /** Why something of the device is not to be had. */
    static IOException creating(IOException cause, String what) {
        String words = words(cause);
        String remedy = "cannot allocate memory".equals(words.toLowerCase(Locale.ROOT))
                ? "; queues are locked memory: raise RLIMIT_MEMLOCK (ulimit -l)"
                : "";
        return new IOException("the device has made no " + what + ": " + words + remedy, cause);
    }

    /**
     * Looks at the result of a call that frees something.
     *
     * @throws IOException if it has not
     */
    static int freed(int result, String what) throws IOException {
        if (result != 0) {
            throw new IOException("the provider has not destroyed the " + what + ": result " + result);
        }
        return result;
    }

    private static String words(IOException cause) {
        String message = String.valueOf(cause.getMessage()).strip();
        return message.substring(message.lastIndexOf(": ") + 1).strip();
    }
}
