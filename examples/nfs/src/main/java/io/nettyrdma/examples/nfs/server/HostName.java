/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
