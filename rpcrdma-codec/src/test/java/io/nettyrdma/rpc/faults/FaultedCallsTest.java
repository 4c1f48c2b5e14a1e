// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import io.netty.channel.Channel;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.Poll;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link FaultedCalls} keeps no connection that has ended: a sweep at every octet makes tens of thousands of them. */
@ExtendWith(NoVerbsLeft.class)
final class FaultedCallsTest {

    @Test
    void connectionThatHasEndedIsCollected() throws Exception {
        try (FaultedCalls calls = new FaultedCalls()) {
            List<WeakReference<Channel>> ended = ended(calls);
            ended(calls); // so that the loops have seen another one since
            Poll.until("collection of both channels", () -> {
                System.gc();
                return ended.stream().allMatch(channel -> channel.get() == null);
            });
        }
    }

    private static List<WeakReference<Channel>> ended(FaultedCalls calls) throws Exception {
        Endings run = calls.begin(Kind.READ_AND_REPLY_CHUNK, calls.address());
        run.await();
        Channel requester = Objects.requireNonNull(run.channel);
        Channel responder = calls.accepted.element();
        calls.end(List.of(run));
        return List.of(new WeakReference<>(requester), new WeakReference<>(responder));
    }
}
