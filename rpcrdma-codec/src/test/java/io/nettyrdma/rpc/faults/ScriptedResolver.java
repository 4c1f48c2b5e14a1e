// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Says for each attempt to connect where it goes. */
final class ScriptedResolver extends AddressResolverGroup<InetSocketAddress> {

    /** From the number of an attempt, counted from 1, to its address; {@code null} never says. */
    interface Script {
        @Nullable
        InetSocketAddress resolve(int attempt, InetSocketAddress asked);
    }

    final AtomicInteger attempts = new AtomicInteger();
    private final Script script;

    ScriptedResolver(Script script) {
        this.script = script;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
            @Override
            protected boolean doIsResolved(InetSocketAddress address) {
                return false;
            }

            @Override
            protected void doResolve(InetSocketAddress address, Promise<InetSocketAddress> promise) {
                InetSocketAddress next = script.resolve(attempts.incrementAndGet(), address);
                if (next != null) {
                    promise.setSuccess(next);
                }
            }

            @Override
            protected void doResolveAll(InetSocketAddress address, Promise<List<InetSocketAddress>> promise) {
                promise.setFailure(new UnsupportedOperationException());
            }
        };
    }
}
