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
package io.nettyrdma.stacks;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ReflectiveChannelFactory;
import io.nettyrdma.channel.StreamTransport;
import java.lang.reflect.Field;

/**
 * The channels of {@link StreamTransport} for Lettuce, which sets a class of its own and shows the bootstrap only
 * afterwards. A bootstrap takes no second one, so the first is replaced by reflection.
 */
final class LettuceChannels implements NettyCustomizer {

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        try {
            Field factory = AbstractBootstrap.class.getDeclaredField("channelFactory");
            factory.setAccessible(true);
            factory.set(bootstrap, new ReflectiveChannelFactory<>(StreamTransport.UNDER_TEST.client()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
