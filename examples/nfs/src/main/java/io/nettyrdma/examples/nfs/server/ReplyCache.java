// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Results of calls that must not be executed twice, for clients that lost a connection with the reply and ask again.
 * Clients use their XIDs again, so a result is forgotten after {@value #EXPIRY_SECONDS} seconds, or when its client has
 * {@value #MAX_PER_CLIENT} later ones, or when there are {@value #MAX} in all and its client has asked for nothing for
 * the longest time; a call in progress never is. A result takes 300 bytes.
 *
 * <p>Threading: any thread; the object's monitor guards all state.
 */
final class ReplyCache {

    static final int MAX_PER_CLIENT = 1024; // several times the calls that it has in flight
    static final int MAX = 32 * MAX_PER_CLIENT;
    static final long EXPIRY_SECONDS = 120;

    /** A call, by everything that makes it the same one when it comes again. The source port is not: it changes. */
    record Key(int xid, int procedure, long checksum) {}

    /** A result, perhaps not there yet, and when the call came. */
    record Kept(CompletableFuture<byte[]> result, long sinceNanos) {}

    /** The client first that has asked for nothing for the longest time; of each the oldest result first. */
    final Map<InetAddress, Map<Key, Kept>> clients = new LinkedHashMap<>(16, 0.75f, true);

    private int count;

    private final LongSupplier nanoTime;

    ReplyCache(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the result of an earlier call, perhaps in progress; null if this is the first, which completes its own.
     */
    synchronized @Nullable CompletableFuture<byte[]> begin(
            InetAddress client, Key key, CompletableFuture<byte[]> mine) {
        Map<Key, Kept> results = clients.computeIfAbsent(client, added -> new LinkedHashMap<>());
        @Nullable Kept earlier = results.putIfAbsent(key, new Kept(mine, nanoTime.getAsLong()));
        if (earlier != null) {
            return earlier.result;
        }
        count++;
        if (results.size() > MAX_PER_CLIENT) {
            dropOldest(results);
        }
        if (count > MAX) {
            for (Map<Key, Kept> others : clients.values()) {
                if (dropOldest(others)) {
                    break;
                }
            }
        }
        return null;
    }

    /** Drops the oldest result of a client that is there; returns whether there was one. */
    private boolean dropOldest(Map<Key, Kept> results) {
        boolean dropped = results.values().stream()
                .filter(kept -> kept.result.isDone())
                .findFirst()
                .map(results.values()::remove)
                .orElse(false);
        count -= dropped ? 1 : 0;
        return dropped;
    }

    /** Drops what is too old. */
    synchronized void dropExpired() {
        long now = nanoTime.getAsLong();
        clients.values().forEach(results -> results.values()
                .removeIf(kept ->
                        kept.result.isDone() && now - kept.sinceNanos >= TimeUnit.SECONDS.toNanos(EXPIRY_SECONDS)));
        clients.values().removeIf(Map::isEmpty);
        count = clients.values().stream().mapToInt(Map::size).sum();
    }

    /** A call that came to no result may be executed again. */
    synchronized void forget(InetAddress client, Key key) {
        count -= clients.getOrDefault(client, Map.of()).remove(key) == null ? 0 : 1;
    }
}
