// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import io.netty.channel.Channel;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.header.Rejection;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The event of Flight Recorder for a received message that was not valid. It has no duration. */
@Name("io.nettyrdma.rpc.Rejection")
@Label("RPC-over-RDMA Rejection")
@Category({"Netty RDMA", "RPC-over-RDMA"})
@Description("A received message was not valid")
@StackTrace(false)
final class RejectionEvent extends Event {

    /** Only asked whether it is enabled. */
    static final RejectionEvent PROBE = new RejectionEvent();

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

    @Label("Reaction")
    @Description("DISCARD, ERR_CHUNK, ERR_VERS or RDMA2_ERROR")
    @Nullable
    String reaction;

    @Label("Defect")
    @Description("The defect; in version 2 the name of the error that answers the message comes first")
    @Nullable
    String defect;

    @Label("Offset")
    @Description("Where, in octets from the start of the header")
    int offset;

    @Label("Found")
    @Description("The value there, or the number of octets")
    long found;

    @Label("Expected")
    @Description("The expected value, or the limit")
    long expected;

    @Label("Option")
    @Description("Setting of RpcRdmaConfig that has the limit, if it is a limit of this side")
    @Nullable
    String option;

    static void record(Channel channel, RpcRdmaRole role, Rejection rejection) {
        RejectionEvent event = new RejectionEvent();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.role = role.name();
            event.xid = Integer.toUnsignedLong(rejection.xid());
            event.reaction = rejection.reaction().name();
            event.defect = rejection.what();
            event.offset = rejection.octet();
            event.found = rejection.found();
            event.expected = rejection.expected();
            event.option = rejection.option();
            event.commit();
        }
    }
}
