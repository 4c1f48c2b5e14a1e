// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.RdmaOperation.Header;
import io.nettyrdma.lab.RdmaOperation.Memory;
import io.nettyrdma.lab.RdmaOperation.ReadSegment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Follows the chunks of a capture: what each call advertises is well formed, every RDMA Read and Write goes to what an
 * unanswered call advertises, and the reply says what was done (RFC 8166, sections 3.4 to 3.6 and 4.3 to 4.5). The
 * rules are those by which Linux' clients and servers are verified.
 */
final class ChunkCheck {
    /**
     * @param problems one sentence each, with the frame
     * @param readCalls calls with a read list, of which {@code longCalls} are Position Zero
     * @param writeCalls calls with a write list
     * @param replyChunkCalls calls with a reply chunk; {@code longReplies} used theirs
     * @param pulledBytes asked for by Read Requests
     * @param pushedBytes in Writes
     * @param invalidations replies that invalidated a handle
     * @param reverseMessages calls and replies of the reverse direction
     */
    record Report(
            Path capture,
            List<String> problems,
            int readCalls,
            int longCalls,
            int writeCalls,
            int replyChunkCalls,
            int longReplies,
            long pulledBytes,
            long pushedBytes,
            int invalidations,
            int reverseMessages) {
        Report assertGood() {
            if (!problems.isEmpty()) {
                throw new AssertionError(problems.size() + " problems with chunks in " + capture + ":\n  "
                        + String.join("\n  ", problems.subList(0, Math.min(20, problems.size()))));
            }
            return this;
        }
    }

    /** A call without a reply, and how many octets of each of its segments were read or written. */
    private static final class Call {
        final Header header;
        final Map<Memory, Long> doneBytes = new HashMap<>();

        Call(Header header) {
            this.header = header;
        }

        long doneBytes(Memory segment) {
            return doneBytes.getOrDefault(segment, 0L);
        }
    }

    /** What is known of one connection. */
    private static final class Connection {
        final Map<Integer, Call> calls = new HashMap<>();
        final List<Memory> sinks = new ArrayList<>();
    }

    private final Map<String, Connection> connections = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private Connection connection = new Connection();
    private RdmaOperation now;
    private int readCalls;
    private int longCalls;
    private int writeCalls;
    private int replyChunkCalls;
    private int longReplies;
    private long pulledBytes;
    private long pushedBytes;
    private int invalidations;
    private int reverseMessages;

    private ChunkCheck(RdmaOperation first) {
        now = first;
    }

    static Report of(Path capture) throws IOException {
        List<RdmaOperation> operations = RdmaOperations.of(capture);
        if (operations.isEmpty()) {
            throw new AssertionError("tshark found no iWARP in " + capture);
        }
        ChunkCheck check = new ChunkCheck(operations.get(0));
        operations.forEach(check::check);
        return new Report(
                capture,
                List.copyOf(check.problems),
                check.readCalls,
                check.longCalls,
                check.writeCalls,
                check.replyChunkCalls,
                check.longReplies,
                check.pulledBytes,
                check.pushedBytes,
                check.invalidations,
                check.reverseMessages);
    }

    private void check(RdmaOperation operation) {
        now = operation;
        connection = connections.computeIfAbsent(operation.connection(), name -> new Connection());
        switch (operation.kind()) {
            case MPA_REQUEST -> connections.put(operation.connection(), new Connection());
            case WRITE -> write(operation);
            case READ_REQUEST -> readRequest(operation);
            case READ_RESPONSE -> readResponse(operation);
            case SEND -> send(operation);
            case OTHER -> {}
        }
    }

    private void problem(String what) {
        problems.add("frame " + now.frame() + ": " + what);
    }

    private void write(RdmaOperation write) {
        if (write.fromInitiator()) {
            // The initiator's announcement of itself has no octets.
            if (write.lengthBytes() > 0) {
                problem("RDMA Write by the requester");
            }
            return;
        }
        pushedBytes += write.lengthBytes();
        use(write, "RDMA Write", false);
    }

    private void readRequest(RdmaOperation read) {
        if (read.fromInitiator()) {
            problem("RDMA Read by the requester");
            return;
        }
        pulledBytes += read.lengthBytes();
        use(read, "RDMA Read", true);
        connection.sinks.add(read.sink());
    }

    /** Accounts for octets read or written in the segment that they belong to. */
    private void use(RdmaOperation operation, String what, boolean read) {
        Memory memory = operation.memory();
        if (operation.lengthBytes() == 0) {
            problem(what + " of nothing");
            return;
        }
        for (Call call : connection.calls.values()) {
            List<Memory> advertised = new ArrayList<>();
            if (read) {
                call.header.readList().forEach(segment -> advertised.add(segment.memory()));
            } else {
                call.header.writable().forEach(advertised::addAll);
            }
            for (Memory segment : advertised) {
                if (segment.contains(memory)) {
                    long done = call.doneBytes.merge(segment, memory.lengthBytes(), Long::sum);
                    if (done > segment.lengthBytes()) {
                        problem(what + " of " + memory + ", some of it a second time");
                    }
                    return;
                }
            }
        }
        problem(what + " of " + memory + ", which no unanswered call advertises for it");
    }

    private void readResponse(RdmaOperation response) {
        Memory filled = response.sink();
        for (int i = 0; i < connection.sinks.size(); i++) {
            Memory sink = connection.sinks.get(i);
            if (sink.contains(filled) && sink.offset() == filled.offset()) {
                connection.sinks.remove(i);
                long length = sink.lengthBytes() - filled.lengthBytes();
                if (length > 0) {
                    connection.sinks.add(i, new Memory(sink.handle(), sink.offset() + filled.lengthBytes(), length));
                }
                return;
            }
        }
        problem("Read Response for " + filled + ", which was not asked for or not in this order");
    }

    private void send(RdmaOperation send) {
        Header header = send.header();
        if (header == null) {
            problem("a Send without an RPC-over-RDMA header");
        } else if (send.isReverse()) {
            reverse(send, header);
        } else if (send.fromInitiator()) {
            if (send.invalidated() != null) {
                problem("Send with Invalidate by the requester");
            }
            call(header);
        } else {
            Call call = connection.calls.remove(header.xid());
            checkInvalidation(send, call);
            if (call != null) { // otherwise it is for CaptureCheck to complain
                reply(call, header);
            }
        }
    }

    /** Neither Linux nor this project moves memory for calls of the other direction. */
    private void reverse(RdmaOperation send, Header header) {
        if (!segments(header).isEmpty() || header.replyChunk() != null) {
            problem("chunks in the reverse direction");
        }
        if (send.invalidated() != null) {
            problem("Send with Invalidate in the reverse direction");
        }
        reverseMessages++;
    }

    private void checkInvalidation(RdmaOperation send, Call call) {
        if (send.invalidated() == null) {
            return;
        }
        invalidations++;
        List<Memory> segments = call == null ? List.of() : segments(call.header);
        if (segments.stream().noneMatch(segment -> segment.handle() == send.invalidated())) {
            problem("invalidated 0x%x, which is not of this call".formatted(send.invalidated()));
        } else if (send.header().type() == Header.ERROR) {
            problem("an error invalidated 0x%x".formatted(send.invalidated()));
        }
    }

    private static List<Memory> segments(Header header) {
        List<Memory> segments = new ArrayList<>();
        header.readList().forEach(segment -> segments.add(segment.memory()));
        header.writable().forEach(segments::addAll);
        return segments;
    }

    private void call(Header call) {
        Set<Integer> handles = new HashSet<>();
        Set<Long> offsets = new HashSet<>();
        for (Memory segment : segments(call)) {
            if (!handles.add(segment.handle())) {
                problem("handle 0x%x twice in one call".formatted(segment.handle()));
            }
            if (!offsets.add(segment.offset())) {
                problem("offset 0x%x twice in one call".formatted(segment.offset()));
            }
        }
        checkPayload(call);
        checkPositions(call);
        readCalls += call.readList().isEmpty() ? 0 : 1;
        longCalls += call.type() == Header.NOMSG ? 1 : 0;
        writeCalls += call.writeList().isEmpty() ? 0 : 1;
        replyChunkCalls += call.replyChunk() == null ? 0 : 1;
        if (connection.calls.put(call.xid(), new Call(call)) != null) {
            problem("a second call with xid 0x%x".formatted(call.xid()));
        }
    }

    private void checkPayload(Header header) {
        boolean expected = header.type() == Header.MSG;
        if (header.type() != Header.ERROR && expected != header.payloadBytes() > 0) {
            problem("message type " + header.type() + " with " + header.payloadBytes() + " octets inline");
        }
    }

    /** A position counts in the message as it is with all chunks before it put back. */
    private void checkPositions(Header call) {
        long messageBytes = call.payloadBytes();
        boolean positionZero = false;
        long lastPosition = 0;
        for (ReadSegment segment : call.readList()) {
            long position = segment.position();
            if (position == 0) {
                positionZero = true;
            } else if (position > messageBytes) {
                problem("position " + position + " in a message of " + messageBytes + " octets up to there");
            } else if (position % 4 != 0 || position < lastPosition) {
                problem("position " + position + " after " + lastPosition);
            }
            lastPosition = position;
            messageBytes += segment.memory().lengthBytes();
        }
        if (positionZero != (call.type() == Header.NOMSG)) {
            problem("message type " + call.type() + (positionZero ? " with" : " without") + " a chunk at position 0");
        }
    }

    private void reply(Call call, Header reply) {
        if (reply.type() == Header.ERROR) {
            return;
        }
        checkPayload(reply);
        if (!reply.readList().isEmpty()) {
            problem("a reply with a read list");
        }
        for (ReadSegment segment : call.header.readList()) {
            if (call.doneBytes(segment.memory()) != segment.memory().lengthBytes()) {
                problem("a reply when " + call.doneBytes(segment.memory()) + " octets had been read of "
                        + segment.memory());
            }
        }
        List<List<Memory>> offered = call.header.writable();
        List<List<Memory>> returned = reply.writable();
        if (offered.size() != returned.size()
                || call.header.writeList().size() != reply.writeList().size()) {
            problem("chunks offered " + offered + ", returned " + returned);
            return;
        }
        for (int i = 0; i < offered.size(); i++) {
            checkReturned(call, offered.get(i), returned.get(i));
        }
        List<Memory> replyChunk = reply.replyChunk();
        long used = replyChunk == null
                ? 0
                : replyChunk.stream().mapToLong(Memory::lengthBytes).sum();
        if (reply.type() == Header.NOMSG != used > 0) {
            problem("message type " + reply.type() + " with " + used + " octets in the reply chunk");
        }
        longReplies += used > 0 ? 1 : 0;
    }

    private void checkReturned(Call call, List<Memory> offered, List<Memory> returned) {
        if (offered.size() != returned.size()) {
            problem("chunk offered " + offered + ", returned " + returned);
            return;
        }
        boolean full = true;
        for (int i = 0; i < offered.size(); i++) {
            Memory was = offered.get(i);
            Memory is = returned.get(i);
            if (was.handle() != is.handle() || was.offset() != is.offset()) {
                problem("segment offered " + was + ", returned " + is);
            } else if (is.lengthBytes() > was.lengthBytes()) {
                problem("segment " + was + " returned as longer, " + is);
            } else if (call.doneBytes(was) != is.lengthBytes()) {
                problem("segment " + is + " returned when " + call.doneBytes(was) + " octets had been written");
            } else if (!full && is.lengthBytes() > 0) {
                problem("segment " + is + " used before the one before it was full");
            }
            full &= is.lengthBytes() == was.lengthBytes();
        }
    }
}
