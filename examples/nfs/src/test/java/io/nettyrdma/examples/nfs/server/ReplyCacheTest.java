// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReplyCacheTest {

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final ReplyCache cache = new ReplyCache(clock::get);

    private static ReplyCache.Key key(int xid, int uid) {
        return new ReplyCache.Key(InetAddress.getLoopbackAddress(), List.of(uid, 0), xid, 12, 34);
    }

    private CompletableFuture<byte[]> begin(ReplyCache.Key key) {
        return cache.begin(key, new CompletableFuture<>());
    }

    @Test
    void repliesAreOfOneCallOfOneUser() {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        assertThat(cache.begin(key(1, 1000), first)).isNull();
        assertThat(begin(key(1, 1000))).isSameAs(first);
        assertThat(begin(key(2, 1000))).isNull();
        assertThat(begin(key(1, 1001))).isNull();
    }

    @Test
    void repliesExpire() {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        cache.begin(key(1, 0), first);
        first.complete(new byte[0]);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(ReplyCache.EXPIRY_SECONDS) - 1);
        assertThat(begin(key(1, 0))).isSameAs(first);
        clock.addAndGet(1);
        assertThat(begin(key(1, 0))).isNull();
        assertThat(cache.size()).isOne();
    }

    @Test
    void callsInProgressDoNot() {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        cache.begin(key(1, 0), first);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(2 * ReplyCache.EXPIRY_SECONDS));
        assertThat(begin(key(1, 0))).isSameAs(first);
    }

    @Test
    void noMoreAreKeptThanTheLimitSays() {
        for (int xid = 0; xid < 2 * ReplyCache.MAX_RESULTS; xid++) {
            CompletableFuture<byte[]> mine = new CompletableFuture<>();
            cache.begin(key(xid, 0), mine);
            mine.complete(new byte[0]);
        }
        assertThat(cache.size()).isEqualTo(ReplyCache.MAX_RESULTS);
        assertThat(begin(key(2 * ReplyCache.MAX_RESULTS - 1, 0))).isNotNull();
        assertThat(begin(key(0, 0))).isNull();
    }
}
