// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses that users give, and errors that say which of them it is about. */
public final class Addresses {

    private Addresses() {}

    /** Looks a host up; the message of a failure is for users. */
    public static InetSocketAddress resolve(String host, int port) throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new UnknownHostException("unknown host " + host);
        }
        return address;
    }

    /** The same for a listener's own address. */
    public static InetSocketAddress resolveOwn(String host, int port) throws IOException {
        try {
            return resolve(host, port);
        } catch (UnknownHostException e) {
            throw new IOException("cannot listen on " + host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** As users write it: without the slash and the name that Java puts in front. */
    public static String describe(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** What to say of a server that has not answered for as long as the option {@code --timeout} of clients allows. */
    public static String describeSilence(InetSocketAddress server, long timeoutSeconds) {
        return "no answer from " + describe(server) + " for " + timeoutSeconds + " s (--timeout)";
    }

    /** Waits until a listener is bound to an address, or says where it cannot be, and why. */
    public static Channel awaitBound(ChannelFuture bind, InetSocketAddress address)
            throws IOException, InterruptedException {
        if (bind.await().isSuccess()) {
            return bind.channel();
        }
        Throwable cause = bind.cause();
        throw new IOException("cannot listen on " + describe(address) + ": " + PeerText.reason(cause), cause);
    }
}
