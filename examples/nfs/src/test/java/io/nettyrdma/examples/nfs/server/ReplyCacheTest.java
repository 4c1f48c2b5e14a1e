// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReplyCacheTest {

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final ReplyCache cache = new ReplyCache(clock::get);

    private static final InetAddress CLIENT = InetAddress.getLoopbackAddress();

    private static ReplyCache.Key key(int xid) {
        return new ReplyCache.Key(xid, 12, 34);
    }

    private int size() {
        return cache.clients.values().stream().mapToInt(Map::size).sum();
    }

    private CompletableFuture<byte[]> begin(int xid) {
        return cache.begin(CLIENT, key(xid), new CompletableFuture<>());
    }

    private CompletableFuture<byte[]> answer(InetAddress client, int xid) {
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        assertThat(cache.begin(client, key(xid), mine)).isNull();
        mine.complete(new byte[0]);
        return mine;
    }

    private static InetAddress client(int number) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number});
    }

    @Test
    void repliesAreOfOneCallOfOneClient() throws Exception {
        CompletableFuture<byte[]> first = answer(CLIENT, 1);
        assertThat(begin(1)).isSameAs(first);
        assertThat(begin(2)).isNull();
        assertThat(cache.begin(client(1), key(1), first)).isNull();
    }

    @Test
    void repliesExpire() throws Exception {
        CompletableFuture<byte[]> first = answer(CLIENT, 1);
        answer(client(1), 1);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(ReplyCache.EXPIRY_SECONDS) - 1);
        cache.dropExpired();
        assertThat(begin(1)).isSameAs(first);
        clock.addAndGet(1);
        cache.dropExpired();
        assertThat(size()).as("that of the other client is gone, too").isZero();
        assertThat(begin(1)).isNull();
    }

    @Test
    void callsInProgressStay() throws Exception {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        cache.begin(CLIENT, key(0), first);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(2 * ReplyCache.EXPIRY_SECONDS));
        for (int xid = 1; xid < 3 * ReplyCache.MAX_PER_CLIENT; xid++) {
            answer(CLIENT, xid);
        }
        cache.dropExpired();
        assertThat(begin(0)).isSameAs(first);
    }

    @Test
    void oneClientDoesNotPushTheRepliesOfAnotherOut() throws Exception {
        CompletableFuture<byte[]> first = answer(CLIENT, 1);
        for (int xid = 0; xid < 3 * ReplyCache.MAX_PER_CLIENT; xid++) {
            answer(client(1), xid);
        }
        assertThat(begin(1)).isSameAs(first);
        assertThat(size()).isEqualTo(1 + ReplyCache.MAX_PER_CLIENT);
        assertThat(cache.begin(client(1), key(0), new CompletableFuture<>()))
                .as("its own oldest one is gone")
                .isNull();
    }

    @Test
    void clientsThatAskForNothingLoseTheirRepliesToManyOthers() throws Exception {
        answer(CLIENT, 1);
        answer(client(0), 1);
        for (int number = 1; number < ReplyCache.MAX; number++) {
            answer(client(number), 1);
            begin(1); // asks again
        }
        assertThat(size()).isEqualTo(ReplyCache.MAX);
        assertThat(begin(1)).isNotNull();
        assertThat(cache.begin(client(0), key(1), new CompletableFuture<>())).isNull();
    }
}
