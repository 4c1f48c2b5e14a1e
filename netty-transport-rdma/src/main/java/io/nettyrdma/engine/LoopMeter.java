// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * The values of an event loop that programs can watch.
 *
 * <p>Threading: immutable.
 */
public enum LoopMeter {
    /** Connections that have a queue pair. */
    CONNECTIONS("rdma.connections.active", "", false, "Connections"),
    /** Connections that were begun. */
    OPENED("rdma.connections", "", true, "Connections begun"),
    /** Sends and RDMA Writes. */
    SENDS("rdma.sends", "", true, "Sends and RDMA Writes posted"),
    /** Their bytes. */
    SENT_BYTES("rdma.sent", "bytes", true, "Bytes of posted Sends and RDMA Writes"),
    /** Received messages; of a byte stream, its control messages. */
    RECEIVES("rdma.receives", "", true, "Messages received"),
    /** Their bytes, and those that the peer of a byte stream has written. */
    RECEIVED_BYTES("rdma.received", "bytes", true, "Bytes of received messages and streams"),
    /** Bytes of RDMA Reads. */
    READ_BYTES("rdma.read", "bytes", true, "Bytes of posted RDMA Reads"),
    /** What was written to channels and has not left. */
    WAITING_BYTES("rdma.writes.waiting", "bytes", false, "Bytes written to channels that have not left"),
    /** Receives that are posted. */
    POSTED_RECEIVES("rdma.receives.posted", "", false, "Receives posted"),
    /** Messages that have used the last posted receive. */
    EXHAUSTED("rdma.receives.exhausted", "", true, "Messages that used the last posted receive"),
    /** Messages that were copied because handlers keep the receive buffers. */
    COPIED("rdma.receives.copied", "", true, "Messages copied because handlers keep too many receive buffers"),
    /** Memory for registration. */
    MEMORY_BYTES("rdma.memory", "bytes", false, "Memory for messages and for peers, used or kept"),
    /** Entries of the completion queues that connections have reserved. */
    RESERVED_COMPLETIONS("rdma.completions.reserved", "", false, "Entries of completion queues in reserve"),
    /** Entries of the completion queues. */
    COMPLETIONS("rdma.completions", "", false, "Entries of completion queues");

    private final String title;
    private final String unit;
    private final boolean counter;
    private final String description;

    LoopMeter(String title, String unit, boolean counter, String description) {
        this.title = title;
        this.unit = unit;
        this.counter = counter;
        this.description = description;
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

    /** Returns what it means. */
    public String description() {
        return description;
    }
}
