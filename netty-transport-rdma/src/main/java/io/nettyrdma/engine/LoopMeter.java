// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/**
 * The values of an event loop that programs can watch.
 *
 * <p>Threading: immutable.
 */
public enum LoopMeter {
    /** Connections that have a queue pair. */
    CONNECTIONS("rdma.connections.active", "", false, "Connections"),
    /** Connections whose bytes pass through memory that this process and its peer share. */
    SHARED("rdma.connections.shared", "", false, "Connections through shared memory"),
    OPENED("rdma.connections", "", true, "Connections begun"),
    SENDS("rdma.sends", "", true, "Sends and RDMA Writes posted"),
    SENT_BYTES("rdma.sent", "bytes", true, "Bytes of posted Sends and RDMA Writes"),
    /** Received messages; of a byte stream, its control messages. */
    RECEIVES("rdma.receives", "", true, "Messages received"),
    /** Their bytes, and those that the peer of a byte stream has written. */
    RECEIVED_BYTES("rdma.received", "bytes", true, "Bytes of received messages and streams"),
    READ_BYTES("rdma.read", "bytes", true, "Bytes of posted RDMA Reads"),
    /** What was written to channels and has not left. */
    WAITING_BYTES("rdma.writes.waiting", "bytes", false, "Bytes written to channels that have not left"),
    POSTED_RECEIVES("rdma.receives.posted", "", false, "Receives posted"),
    EXHAUSTED("rdma.receives.exhausted", "", true, "Messages that used the last posted receive"),
    /** Messages that were copied because handlers keep the receive buffers. */
    COPIED("rdma.receives.copied", "", true, "Messages copied because handlers keep too many receive buffers"),
    MEMORY_BYTES("rdma.memory", "bytes", false, "Memory for messages and for peers, used or kept"),
    /** Entries of the completion queues that connections have reserved. */
    RESERVED_COMPLETIONS("rdma.completions.reserved", "", false, "Entries of completion queues in reserve"),
    COMPLETIONS("rdma.completions", "", false, "Entries of completion queues"),
    /** Connects that nobody listened for. */
    CONNECTS_REFUSED(false, "refused"),
    /** Connects without a way to the address. */
    CONNECTS_UNREACHABLE(false, "unreachable"),
    /** Connects that took longer than the channel's limit. */
    CONNECTS_TIMED_OUT(false, "timeout"),
    /** Connects that the peer's program, or the peer's handshake, has rejected. */
    CONNECTS_REJECTED(false, "rejected"),
    /** Connects that failed for want of memory, or of something that the device has so many of. */
    CONNECTS_WITHOUT_RESOURCES(false, "resources"),
    CONNECTS_FAILED(false, "other"),
    /** Connections that the peer or the network has ended without a word. */
    CONNECTIONS_RESET(true, "reset"),
    /** Connections that made no progress for the channel's limit. */
    CONNECTIONS_TIMED_OUT(true, "timeout"),
    /** Connections whose peer did not keep to a protocol. */
    CONNECTIONS_VIOLATED(true, "protocol"),
    /** Connections that ended for want of memory, or of something that the device has so many of. */
    CONNECTIONS_WITHOUT_RESOURCES(true, "resources"),
    /** Other connections that ended by an error. */
    CONNECTIONS_FAILED(true, "other");

    private static final String NO_REASON = "";

    private final String title;
    private final String unit;
    private final boolean counter;
    private final String description;
    private final String reason;

    LoopMeter(boolean established, String reason) {
        title = established ? "rdma.connections.failed" : "rdma.connects.failed";
        unit = "";
        counter = true;
        description = established ? "Connections ended by an error" : "Connects that failed";
        this.reason = reason;
    }

    LoopMeter(String title, String unit, boolean counter, String description) {
        this.title = title;
        this.unit = unit;
        this.counter = counter;
        this.description = description;
        reason = NO_REASON;
    }

    /** Returns the meter that counts a failed connect. */
    static LoopMeter ofConnect(Throwable failure) {
        if (failure instanceof ConnectTimeoutException) { // a ConnectException
            return CONNECTS_TIMED_OUT;
        }
        if (failure instanceof NoRouteToHostException) {
            return CONNECTS_UNREACHABLE;
        }
        if (failure instanceof RdmaConnectRejectedException) {
            return CONNECTS_REJECTED;
        }
        if (failure instanceof RdmaResourceLimitException) {
            return CONNECTS_WITHOUT_RESOURCES;
        }
        boolean refused = failure instanceof ConnectException && failure.getCause() instanceof ConnectException;
        return refused ? CONNECTS_REFUSED : CONNECTS_FAILED;
    }

    /** Returns the meter that counts a connection which a failure has ended. */
    static LoopMeter ofConnection(Throwable failure) {
        if (failure instanceof RdmaConnectionException || failure instanceof QueuePairInErrorException) {
            return CONNECTIONS_RESET;
        }
        if (failure instanceof RdmaProgressTimeoutException) {
            return CONNECTIONS_TIMED_OUT;
        }
        if (failure instanceof RdmaStreamProtocolException || failure instanceof RdmaFlowControlException) {
            return CONNECTIONS_VIOLATED;
        }
        return failure instanceof RdmaResourceLimitException ? CONNECTIONS_WITHOUT_RESOURCES : CONNECTIONS_FAILED;
    }

    /** Returns its name, with dots. */
    public String title() {
        return title;
    }

    /** Returns {@code bytes}, or nothing for a number. */
    public String unit() {
        return unit;
    }

    /** Returns whether it only grows. */
    public boolean isCounter() {
        return counter;
    }

    /** Returns which of the meters of one name it is, or nothing if there is no other. */
    public String reason() {
        return reason;
    }

    /** Returns what it means. */
    public String description() {
        return description;
    }
}
