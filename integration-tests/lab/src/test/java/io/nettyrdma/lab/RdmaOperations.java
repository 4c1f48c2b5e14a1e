// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.RdmaOperation.Header;
import io.nettyrdma.lab.RdmaOperation.Kind;
import io.nettyrdma.lab.RdmaOperation.Memory;
import io.nettyrdma.lab.RdmaOperation.ReadSegment;
import io.nettyrdma.lab.RdmaOperation.RpcType;
import io.nettyrdma.lab.Tshark.Payload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the operations of a capture in their order, from tshark's text: its fields would lose the order of what shares
 * a frame.
 */
final class RdmaOperations {
    private static final int TAGGED_HEADER_BYTES = 14;
    private static final int UNTAGGED_HEADER_BYTES = 18;

    private static final Pattern FRAME = Pattern.compile("^Frame (\\d+):.*");
    private static final Pattern PORTS =
            Pattern.compile("^Transmission Control.* Src Port: (\\d+), Dst Port: (\\d+),.*");
    private static final Pattern OPCODE = Pattern.compile("^ +[01. ]+ = OpCode: .*\\(0x([0-9a-f]+)\\)$");
    /** All other lines of interest: a name and a number, which may have its name before it or its unit behind it. */
    private static final Pattern NUMBER =
            Pattern.compile("^ +([A-Z(][A-Za-z ()]*): (?:\\w+ \\()?(0x[0-9a-f]+|\\d+)(?: bytes?)?\\)?$");

    private final List<RdmaOperation> operations = new ArrayList<>();
    private final Map<String, Integer> sendBytes = new HashMap<>();
    private final Map<String, HeaderLines> sendHeaders = new HashMap<>();
    private final Map<String, String> initiatorPort = new HashMap<>();
    private int frame;
    private String source = "";
    private String destination = "";
    private @Nullable Map<String, Long> fpdu;
    private int opcode;
    private boolean last;

    private RdmaOperations() {}

    static List<RdmaOperation> of(Path capture) throws IOException {
        RdmaOperations reader = new RdmaOperations();
        for (String line : new Tshark(capture, Payload.RPC_OVER_RDMA)
                .without("nfs")
                .details("iwarp_mpa", "iwarp_mpa,iwarp_ddp_rdmap,rpcordma")) {
            reader.line(line);
        }
        reader.end();
        return reader.operations;
    }

    private void line(String line) {
        Matcher match = FRAME.matcher(line);
        if (match.matches()) {
            end();
            frame = Integer.parseInt(match.group(1));
            return;
        }
        match = PORTS.matcher(line);
        if (match.matches()) {
            source = match.group(1);
            destination = match.group(2);
            return;
        }
        match = OPCODE.matcher(line);
        if (match.matches()) {
            opcode = Integer.parseInt(match.group(1), 16);
            return;
        }
        String text = line.strip();
        if (line.equals("    Request frame header")) {
            initiatorPort.put(connection(), source);
            sendBytes.clear();
            sendHeaders.clear();
            add(Kind.MPA_REQUEST, 0, null, null, null, null);
        } else if (line.equals("    FPDU")) {
            end();
            fpdu = new HashMap<>();
            opcode = -1;
            last = false;
        } else if (text.endsWith("= Last flag: True")) {
            last = true;
        } else if (line.equals("RPC over RDMA")) {
            sendHeaders.put(source + ">" + destination, new HeaderLines());
        } else {
            number(line, text);
        }
    }

    private void number(String line, String text) {
        HeaderLines header = sendHeaders.get(source + ">" + destination);
        if (header != null && header.beginning(text)) {
            return;
        }
        Matcher match = NUMBER.matcher(line);
        if (match.matches() && fpdu != null) {
            long value = match.group(2).startsWith("0x")
                    ? Long.parseUnsignedLong(match.group(2).substring(2), 16)
                    : Long.parseLong(match.group(2));
            if (header == null || !header.number(match.group(1), value)) {
                fpdu.put(match.group(1), value);
            }
        }
    }

    private String connection() {
        // Whoever sends, the same name.
        return source.compareTo(destination) < 0 ? source + "-" + destination : destination + "-" + source;
    }

    /** The lines of an FPDU are complete. */
    private void end() {
        Map<String, Long> lines = fpdu;
        if (lines == null) {
            return;
        }
        fpdu = null;
        int ulpduBytes = (int) required(lines, "ULPDU length");
        String direction = source + ">" + destination;
        switch (opcode) {
            case 0 -> {
                int length = ulpduBytes - TAGGED_HEADER_BYTES;
                add(Kind.WRITE, length, tagged(lines, length), null, null, null);
            }
            case 1 -> {
                long length = required(lines, "RDMA Read Message Size");
                Memory from = memory(lines, "Data Source STag", "Data Source Tagged Offset", length);
                Memory to = memory(lines, "Data Sink STag", "Data Sink Tagged Offset", length);
                add(Kind.READ_REQUEST, (int) length, from, to, null, null);
            }
            case 2 -> {
                int length = ulpduBytes - TAGGED_HEADER_BYTES;
                add(Kind.READ_RESPONSE, length, null, tagged(lines, length), null, null);
            }
            case 3, 4, 5, 6 -> {
                int length = sendBytes.merge(direction, ulpduBytes - UNTAGGED_HEADER_BYTES, Integer::sum);
                if (last) {
                    HeaderLines header = sendHeaders.remove(direction);
                    Long key = lines.get("Invalidate STag");
                    sendBytes.remove(direction);
                    add(
                            Kind.SEND,
                            length,
                            null,
                            null,
                            key == null ? null : (Integer) key.intValue(),
                            header == null ? null : header.build(length));
                }
            }
            default -> add(Kind.OTHER, ulpduBytes, null, null, null, null);
        }
    }

    private Memory tagged(Map<String, Long> lines, int length) {
        return memory(lines, "(Data Sink) Steering Tag", "(Data Sink) Tagged offset", length);
    }

    private Memory memory(Map<String, Long> lines, String key, String offset, long length) {
        return new Memory((int) required(lines, key), required(lines, offset), length);
    }

    private long required(Map<String, Long> lines, String name) {
        Long value = lines.get(name);
        if (value == null) {
            throw new IllegalStateException("frame " + frame + ": tshark printed no " + name + ", but " + lines);
        }
        return value;
    }

    private void add(
            Kind kind,
            int length,
            @Nullable Memory memory,
            @Nullable Memory sink,
            @Nullable Integer invalidated,
            @Nullable Header header) {
        String connection = connection();
        boolean fromInitiator = source.equals(initiatorPort.get(connection));
        operations.add(
                new RdmaOperation(frame, connection, fromInitiator, kind, length, memory, sink, invalidated, header));
    }

    /** The lines of one RPC-over-RDMA header. */
    private static final class HeaderLines {
        private final List<ReadSegment> readList = new ArrayList<>();
        private final List<List<Memory>> writeList = new ArrayList<>();
        private @Nullable List<Memory> replyChunk;
        private @Nullable List<Memory> chunk;
        private boolean inReply;
        private RpcType rpcType = RpcType.UNSEEN;
        private int xid;
        private long credits;
        private int type = -1;
        private long position;
        private int handle;
        private long length;

        /** Takes a line that begins a list, a chunk or the RPC message. */
        boolean beginning(String text) {
            if (text.startsWith("Remote Procedure Call, Type:Call ")) {
                rpcType = RpcType.CALL;
            } else if (text.startsWith("Remote Procedure Call, Type:Reply ")) {
                rpcType = RpcType.REPLY;
            } else if (text.startsWith("Reply chunk (")) {
                inReply = true;
            } else if (text.startsWith("Write chunk (")) {
                chunk = new ArrayList<>();
                if (inReply) {
                    replyChunk = chunk;
                } else {
                    writeList.add(chunk);
                }
            } else {
                return false;
            }
            return true;
        }

        /** Takes a line with a number, if it belongs to the header. */
        boolean number(String name, long value) {
            switch (name) {
                case "XID" -> xid = (int) value;
                case "Flow Control" -> credits = value;
                case "Message Type" -> type = (int) value;
                case "Position in XDR" -> position = value;
                case "RDMA handle" -> handle = (int) value;
                case "RDMA length" -> length = value;
                case "RDMA offset" -> {
                    Memory memory = new Memory(handle, value, length);
                    if (chunk == null) {
                        readList.add(new ReadSegment(position, memory));
                    } else {
                        chunk.add(memory);
                    }
                }
                default -> {
                    return false;
                }
            }
            return true;
        }

        Header build(int sendBytes) {
            Header bare = new Header(xid, credits, type, rpcType, readList, writeList, replyChunk, 0);
            int payloadBytes = sendBytes - bare.lengthBytes();
            return new Header(xid, credits, type, rpcType, readList, writeList, replyChunk, payloadBytes);
        }
    }
}
