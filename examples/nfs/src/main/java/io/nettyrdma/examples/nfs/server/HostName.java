// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Hadoop's credentials of AUTH_SYS ask for the name of this host and its address when their class is loaded. Where
 * there is none the class stays unusable and no call is ever answered, so a server looks first.
 */
final class HostName {

    private HostName() {}

    /** What tells the address that belongs to this host's name. */
    interface Resolver {
        InetAddress resolve() throws UnknownHostException;
    }

    static void require() throws IOException {
        require(InetAddress::getLocalHost);
    }

    /** @throws IOException if there is none, with what to do about it */
    static void require(Resolver resolver) throws IOException {
        try {
            resolver.resolve();
        } catch (UnknownHostException e) {
            throw new IOException(
                    "the name of this host does not resolve (" + e.getMessage()
                            + "), but Hadoop's RPC stack needs it: add a line \"127.0.1.1 NAME\" to /etc/hosts,"
                            + " with the name that the command hostname prints",
                    e);
        }
    }
}
