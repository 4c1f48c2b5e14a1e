// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** A contract that holds over each provider, tested with a client and a server that keep what they receive. */
@Over
@Tag("contract")
@ExtendWith(LeavesNothingOpen.class)
abstract class ProviderContract {

    final TestProvider provider = TestProvider.tested();
    final Inbox client = new Inbox();
    final Inbox server = new Inbox();

    /** The server keeps what the client sends, and the other way round. */
    ChannelPair pair() {
        return new ChannelPair(provider, () -> server, () -> client);
    }

    /** The same, of byte streams. */
    StreamPair streams() {
        return new StreamPair(provider, () -> server, () -> client);
    }

    /** The server sends everything back. */
    ChannelPair echoPair() {
        return new ChannelPair(provider, Echo::new, () -> client);
    }
}
