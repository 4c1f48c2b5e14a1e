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
package io.nettyrdma.examples.guard;

import io.netty.channel.EventLoopGroup;
import java.util.concurrent.TimeUnit;

/** Ends event loops. */
public final class EventLoops {

    private EventLoops() {}

    /**
     * Closes all channels of event loops, and waits until they have ended, or for twice the time: a loop whose thread
     * could not start may never end. Not on an event loop; an interrupt does not end the wait.
     *
     * @param seconds after which loops take no more tasks
     */
    public static void shutDown(EventLoopGroup group, long seconds) {
        group.shutdownGracefully(0, seconds, TimeUnit.SECONDS).awaitUninterruptibly(2 * seconds, TimeUnit.SECONDS);
    }
}
