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
package io.nettyrdma.rpc;

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
