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

/**
 * RPC-over-RDMA: programs add the handlers of {@link io.nettyrdma.rpc} to their pipelines; the other packages
 * have the types that these take and return.
 */
module io.nettyrdma.rpc {
    requires transitive io.netty.buffer;
    requires transitive io.netty.codec;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires transitive io.nettyrdma.transport;
    requires static jdk.jfr; // events, where the JVM has Flight Recorder
    requires static micrometer.core; // meters, for programs that have it
    requires static transitive org.jspecify;

    exports io.nettyrdma.rpc;
    exports io.nettyrdma.rpc.authentication;
    exports io.nettyrdma.rpc.binding;
    exports io.nettyrdma.rpc.error;
    exports io.nettyrdma.rpc.message;
    exports io.nettyrdma.rpc.metrics;
    exports io.nettyrdma.rpc.observe;
    exports io.nettyrdma.rpc.wire;
}
