// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The event of Flight Recorder that spans a call. */
@Name("io.nettyrdma.rpc.Call")
@Label("RPC-over-RDMA Call")
@Category({"Netty RDMA", "RPC-over-RDMA"})
@Description("A call, at a requester from its acceptance to its end, at a responder from its reception to its reply")
@StackTrace(false)
@Threshold("10 ms")
final class CallEvent extends Event {

    /** Only asked whether it is enabled. */
    static final CallEvent PROBE = new CallEvent();

    /** In place of a number that is not known. */
    static final long UNKNOWN = -1;

    @Label("Channel")
    @Description("Short id of the Netty channel")
    @Nullable
    String channel;

    @Label("Role")
    @Description("REQUESTER or RESPONDER")
    @Nullable
    String role;

    @Label("XID")
    long xid;

    @Label("Program")
    @Description("RPC program number, -1 if not known")
    long program = UNKNOWN;

    @Label("Version")
    @Description("Version of the program, -1 if not known")
    long version = UNKNOWN;

    @Label("Procedure")
    @Description("Procedure number, -1 if not known")
    long procedure = UNKNOWN;

    @Label("Outcome")
    @Description("REPLIED, or how else the call has ended")
    @Nullable
    String outcome;

    @Label("Credit Wait")
    @Description("Time the call waited for a credit before it was sent")
    @Timespan(Timespan.NANOSECONDS)
    long creditWait;
}
