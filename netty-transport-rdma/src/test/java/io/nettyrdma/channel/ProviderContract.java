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

    /** The server sends everything back. */
    ChannelPair echoPair() {
        return new ChannelPair(provider, Echo::new, () -> client);
    }
}
