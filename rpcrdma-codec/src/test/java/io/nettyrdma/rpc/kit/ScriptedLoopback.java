// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A responder on loopback that treats calls as a test wants it, and keeps them in the order in which they come. */
@ExtendWith(NoVerbsLeft.class)
public abstract class ScriptedLoopback {

    public final BlockingQueue<Exchange> arrived = new LinkedBlockingQueue<>();
    public volatile Consumer<Exchange> script = Exchange::answer;
    public RdmaLoopback loopback;

    @BeforeEach
    public void listen() throws Exception {
        loopback = new RdmaLoopback(
                new CmPrivateData(true, 4096, 4096),
                () -> new ScriptedResponder(16, exchange -> {
                    Consumer<Exchange> now = script; // what the test changes concerns the calls after this one
                    arrived.add(exchange);
                    now.accept(exchange);
                }));
    }

    @AfterEach
    public void close() {
        loopback.close();
        if (loopback.memory != null) {
            loopback.memory.checkGivenBack();
        }
    }

    public Exchange next() throws InterruptedException {
        Exchange exchange = arrived.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(exchange).as("a call").isNotNull();
        return exchange;
    }
}
