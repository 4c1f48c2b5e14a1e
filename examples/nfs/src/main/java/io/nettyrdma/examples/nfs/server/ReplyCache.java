// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.net.InetAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Results of calls that must not be executed twice, for clients that lost a connection with the reply and ask again. In
 * the place of Hadoop's {@code RpcCallCache}, which knows a call by address and XID only: two clients behind one
 * address translator would get each other's replies. Here the call itself and its user count as well, and replies that
 * nobody asked for within {@value #EXPIRY_SECONDS} seconds are forgotten, for clients use their XIDs again.
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

    /** A result, perhaps not there yet, and when the call came. */
    private record Kept(CompletableFuture<byte[]> result, long sinceNanos) {}

    /** The oldest first. */
    private final Map<Key, Kept> results = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Kept> eldest) {
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
        long now = nanoTime.getAsLong();
        dropExpired(now);
        @Nullable Kept earlier = results.get(key);
        if (earlier != null && !isExpired(earlier, now)) {
            return earlier.result;
        }
        results.remove(key); // so that it is the latest
        results.put(key, new Kept(mine, now));
        return null;
    }

    private void dropExpired(long now) {
        Iterator<Kept> oldestFirst = results.values().iterator();
        while (oldestFirst.hasNext() && isExpired(oldestFirst.next(), now)) {
            oldestFirst.remove();
        }
    }

    private static boolean isExpired(Kept entry, long now) {
        return entry.result.isDone() && now - entry.sinceNanos >= TimeUnit.SECONDS.toNanos(EXPIRY_SECONDS);
    }

    /** A call that came to no result may be executed again. */
    synchronized void forget(Key key) {
        results.remove(key);
    }
}
