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

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Results of calls that must not be executed twice, for clients that lost a connection with the reply and ask again. In
 * the place of Hadoop's {@code RpcCallCache}, which knows a call by address and XID only: two clients behind one address
 * translator would get each other's replies. Here the call itself counts as well.
 *
 * <p>Memory: {@value #MAX_RESULTS} results of about 300 octets.
 *
 * <p>Threading: any thread; all state is confined to this object's monitor.
 */
final class ReplyCache {

    static final int MAX_RESULTS = 2048;

    /** How long a client may take to ask again. */
    static final long EXPIRY_SECONDS = 120;

    /** A call, by everything that makes it the same one when it comes again. The source port is not: it changes. */
    record Key(InetAddress client, List<Integer> user, int xid, int procedure, long checksum) {}

    private final Map<Key, CompletableFuture<byte[]>> results = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, CompletableFuture<byte[]>> eldest) {
            return size() > MAX_RESULTS;
        }
    };

    private final LongSupplier nanoTime;

    /** @param nanoTime a clock like {@link System#nanoTime()} */
    ReplyCache(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    synchronized int size() {
        return results.size();
    }

    /** The result of an earlier call, perhaps not finished yet; null if this is the first, which has to complete it. */
    synchronized @Nullable CompletableFuture<byte[]> begin(Key key, CompletableFuture<byte[]> mine) {
        return results.putIfAbsent(key, mine);
    }

    /** A call that came to no result may be executed again. */
    synchronized void forget(Key key) {
        results.remove(key);
    }
}
