// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import io.netty.channel.Channel;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The events of Flight Recorder at the beginning of a connection, without duration, and at its end, spanning it. */
@Name("io.nettyrdma.rpc.Connection")
@Label("RPC-over-RDMA Connection")
@Category({"Netty RDMA", "RPC-over-RDMA"})
@Description("A connection was opened, or closed; a closed one's duration is its lifetime, if recorded from the start")
@StackTrace(false)
final class ConnectionEvent extends Event {

    /** Only asked whether it is enabled. */
    static final ConnectionEvent PROBE = new ConnectionEvent();

    @Label("Channel")
    @Description("Short id of the Netty channel")
    @Nullable
    String channel;

    @Label("Role")
    @Description("REQUESTER or RESPONDER")
    @Nullable
    String role;

    @Label("State")
    @Description("OPENED or CLOSED")
    @Nullable
    String state;

    @Label("Local Address")
    @Nullable
    String localAddress;

    @Label("Remote Address")
    @Nullable
    String remoteAddress;

    @Label("Inline Call Threshold")
    @DataAmount
    long inlineCallBytes;

    @Label("Inline Reply Threshold")
    @DataAmount
    long inlineReplyBytes;

    @Label("Remote Invalidation")
    boolean remoteInvalidation;

    void commit(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, String state) {
        if (!shouldCommit()) {
            return;
        }
        this.channel = channel.id().asShortText();
        this.role = role.name();
        this.state = state;
        localAddress = String.valueOf(channel.localAddress());
        remoteAddress = String.valueOf(channel.remoteAddress());
        inlineCallBytes = parameters.thresholds().callBytes();
        inlineReplyBytes = parameters.thresholds().replyBytes();
        remoteInvalidation = parameters.remoteInvalidation();
        commit();
    }
}
