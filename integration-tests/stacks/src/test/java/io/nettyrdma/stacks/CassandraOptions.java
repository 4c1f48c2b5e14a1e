// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.driver.internal.core.context.DefaultNettyOptions;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import com.datastax.oss.driver.internal.core.context.NettyOptions;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.StreamTransport;

/** The event loops and channels of {@link StreamTransport} for Cassandra's driver, which does not shut them down. */
final class CassandraOptions extends DefaultNettyOptions {

    private CassandraOptions(InternalDriverContext context) {
        super(context);
    }

    /** Returns a new builder of sessions with these options. */
    static CqlSessionBuilder newSession() {
        return new CqlSessionBuilder() {
            @Override
            protected DriverContext buildContext(DriverConfigLoader loader, ProgrammaticArguments arguments) {
                return new DefaultDriverContext(loader, arguments) {
                    @Override
                    protected NettyOptions buildNettyOptions() {
                        return new CassandraOptions(this);
                    }
                };
            }
        };
    }

    @Override
    public EventLoopGroup ioEventLoopGroup() {
        return StreamTransport.UNDER_TEST.group();
    }

    @Override
    public Class<? extends Channel> channelClass() {
        return StreamTransport.UNDER_TEST.client();
    }
}
