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
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The event of Flight Recorder for a message of version 2 in several Sends. It has no duration. */
@Name("io.nettyrdma.rpc.Continuation")
@Label("RPC-over-RDMA Continuation")
@Category({"Netty RDMA", "RPC-over-RDMA"})
@Description("The last fragment of a message was sent or received")
@StackTrace(false)
final class ContinuationEvent extends Event {

    /** Only asked whether it is enabled. */
    static final ContinuationEvent PROBE = new ContinuationEvent();

    @Label("Channel")
    @Description("Short id of the Netty channel")
    @Nullable
    String channel;

    @Label("Role")
    @Description("REQUESTER or RESPONDER, in the direction of the call")
    @Nullable
    String role;

    @Label("XID")
    long xid;

    @Label("Message")
    @Description("CALL or REPLY")
    @Nullable
    String message;

    @Label("Sent")
    @Description("Whether this end has sent it")
    boolean sent;

    @Label("Fragments")
    int fragments;

    @Label("Payload")
    @Description("The RPC message without headers and chunks")
    @DataAmount
    long payloadBytes;
}
