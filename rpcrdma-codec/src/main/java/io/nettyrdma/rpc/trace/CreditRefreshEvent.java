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
package io.nettyrdma.rpc.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The event of Flight Recorder for a credit refresh of version 2. It has no duration. */
@Name("io.nettyrdma.rpc.CreditRefresh")
@Label("RPC-over-RDMA Credit Refresh")
@Category({"Netty RDMA", "RPC-over-RDMA"})
@Description("A message that does nothing but grant credits was sent or received")
@StackTrace(false)
final class CreditRefreshEvent extends Event {

    /** Only asked whether it is enabled. */
    static final CreditRefreshEvent PROBE = new CreditRefreshEvent();

    @Label("Channel")
    @Description("Short id of the Netty channel")
    @Nullable
    String channel;

    @Label("Role")
    @Description("REQUESTER or RESPONDER, in the forward direction")
    @Nullable
    String role;

    @Label("Sent")
    @Description("Whether this end has sent it")
    boolean sent;

    @Label("Credits")
    @Description("Messages that may be sent in addition")
    int credits;
}
