// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import io.nettyrdma.verbs.soft.faults.FaultPlan.Fault;
import io.nettyrdma.verbs.soft.faults.FaultPlan.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/** One direction of a relayed connection: moves octets, and does to them what the plan says. */
final class FaultedDirection {

    /** What {@link #move} has met that concerns the whole connection. */
    enum Outcome {
        RUNNING,
        CLOSE,
        RESET
    }

    private static final int PIECES_PER_MOVE = 64;

    private final SocketChannel from;
    private final SocketChannel to;
    private final FaultPlan plan;
    private final ArrayDeque<Fault> corruptions = new ArrayDeque<>();
    private final ArrayDeque<Fault> obstacles = new ArrayDeque<>();
    private ByteBuffer pending = ByteBuffer.allocate(64 * 1024).limit(0);
    private final ByteArrayOutputStream record = new ByteArrayOutputStream(0);
    private long taken;
    private volatile long handedOn;
    private volatile boolean held;
    private boolean endOfStream;
    private boolean finished;
    private boolean swallowing;

    FaultedDirection(SocketChannel from, SocketChannel to, FaultPlan plan) {
        this.from = from;
        this.to = to;
        this.plan = plan;
        for (Fault f : plan.faults()) {
            (f.kind() == Kind.CORRUPT ? corruptions : obstacles).add(f);
        }
    }

    /** Octets handed on. */
    long handedOn() {
        return handedOn;
    }

    /** What was handed on, if the plan says to record it. */
    byte[] record() {
        return record.toByteArray();
    }

    /** Whether a hold or a stall has been reached. */
    boolean isHeld() {
        return held;
    }

    /** Whether the sender has sent its FIN, and everything before it was handed on. */
    boolean isFinished() {
        return finished;
    }

    boolean wantsRead() {
        return swallowing ? !endOfStream : !held && !endOfStream && !pending.hasRemaining();
    }

    boolean wantsWrite() {
        return !swallowing && !held && pending.hasRemaining();
    }

    /** Whether the next move does something although no socket is ready. */
    boolean isDue() {
        return !swallowing && !held && !finished && isAtObstacle();
    }

    /** Lets go of the octets held. */
    void release() {
        Fault next = obstacles.peek();
        if (held && next != null && next.kind() == Kind.HOLD) {
            obstacles.remove();
            held = false;
        }
    }

    /** Moves what can be moved now. */
    Outcome move() throws IOException {
        // One obstacle per move: whoever drives both ends lets the receiver see what came before a reset.
        if (isAtObstacle() && !held) {
            Kind kind = obstacles.element().kind();
            if (kind == Kind.CLOSE || kind == Kind.RESET) {
                return kind == Kind.CLOSE ? Outcome.CLOSE : Outcome.RESET;
            }
            held = true;
        }
        if (held || finished) {
            return Outcome.RUNNING;
        }
        if (!pending.hasRemaining() && !endOfStream) {
            read();
        }
        for (int i = 0; i < PIECES_PER_MOVE && pending.hasRemaining() && !isAtObstacle(); i++) {
            write();
        }
        if (isAtObstacle()) {
            // At once, so that whoever has seen the last octet in front of a hold can release it.
            Kind kind = obstacles.element().kind();
            held = kind == Kind.HOLD || kind == Kind.STALL;
        } else if (endOfStream && !pending.hasRemaining()) {
            finished = true;
            if (!plan.isFinDropped()) {
                to.shutdownOutput();
            }
        }
        return Outcome.RUNNING;
    }

    /** Frees the buffer of a connection that is closed. No bytes move after this. */
    void free() {
        pending = ByteBuffer.allocate(0);
    }

    private boolean isAtObstacle() {
        Fault next = obstacles.peek();
        return next != null && next.octet() <= handedOn;
    }

    private void read() throws IOException {
        pending.clear();
        int n = from.read(pending);
        pending.flip();
        if (n < 0) {
            endOfStream = true;
            return;
        }
        while (!corruptions.isEmpty() && corruptions.element().octet() < taken + n) {
            Fault f = corruptions.remove();
            int at = (int) (f.octet() - taken);
            pending.put(at, (byte) (pending.get(at) ^ f.mask()));
        }
        taken += n;
    }

    private void write() throws IOException {
        int limit = pending.limit();
        long most = Math.min(plan.segmentOctets(), pending.remaining());
        Fault next = obstacles.peek();
        if (next != null) {
            most = Math.min(most, next.octet() - handedOn);
        }
        try {
            int from = pending.position();
            pending.limit(from + (int) most);
            handedOn += to.write(pending);
            if (plan.isRecorded()) {
                record.write(pending.array(), from, pending.position() - from);
            }
        } finally {
            pending.limit(limit);
        }
    }

    /** Reads and forgets what comes; returns whether that was all. */
    boolean swallow() throws IOException {
        swallowing = true;
        int n = 1;
        while (n > 0 && !endOfStream) {
            n = from.read(pending.clear());
            endOfStream = n < 0;
        }
        return endOfStream;
    }
}
