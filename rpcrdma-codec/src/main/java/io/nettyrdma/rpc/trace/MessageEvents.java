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

import io.netty.channel.Channel;
import io.nettyrdma.rpc.observe.RpcRdmaContinuationReport;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.header.Rejection;

/**
 * Makes the events of Flight Recorder about single messages, where these are recorded.
 *
 * <p>Threading: any.
 */
final class MessageEvents {

    private MessageEvents() {}

    static void recordRejection(Channel channel, RpcRdmaRole role, Rejection rejection) {
        if (!FlightRecording.ofRejections()) {
            return;
        }
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

    static void recordRefresh(Channel channel, RpcRdmaRole role, boolean sent, int credits) {
        if (!FlightRecording.ofRefreshes()) {
            return;
        }
        CreditRefreshEvent event = new CreditRefreshEvent();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.role = role.name();
            event.sent = sent;
            event.credits = credits;
            event.commit();
        }
    }

    static void recordContinuation(Channel channel, RpcRdmaContinuationReport message) {
        ContinuationEvent event = new ContinuationEvent();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.role = message.role().name();
            event.xid = Integer.toUnsignedLong(message.xid());
            event.message = message.message().name();
            event.sent = message.isSent();
            event.fragments = message.fragments();
            event.payloadBytes = message.payloadBytes();
            event.commit();
        }
    }
}
