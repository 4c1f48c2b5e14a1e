// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.captures;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * The TCP connections of a capture file: classic pcap of Ethernet frames with IPv4, as tcpdump writes it, compressed or
 * not. A capture with holes is no evidence and is refused.
 */
public final class TcpCapture {

    private static final int MAGIC = 0xa1b2c3d4;
    private static final int ETHERNET = 1;
    private static final int FILE_HEADER_BYTES = 20;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int ETHERNET_HEADER_BYTES = 14;
    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int PROTOCOL_TCP = 6;
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int RST = 0x04;
    private static final int ACK = 0x10;

    private record Endpoints(int fromAddress, int fromPort, int toAddress, int toPort) {
        Endpoints reverse() {
            return new Endpoints(toAddress, toPort, fromAddress, fromPort);
        }
    }

    private final Map<Endpoints, CapturedConnection> open = new LinkedHashMap<>();
    private final List<CapturedConnection> connections = new ArrayList<>();

    private TcpCapture() {}

    /** Reads a resource whose name ends in {@code .pcap} or {@code .pcap.gz}; connections in the order of their SYN. */
    public static List<CapturedConnection> connections(Class<?> owner, String resource) throws IOException {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("no resource " + resource);
            }
            return connections(resource.endsWith(".gz") ? new GZIPInputStream(in) : in);
        }
    }

    /** Reads a file that is not compressed; connections in the order of their SYN. */
    public static List<CapturedConnection> connections(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return connections(in);
        }
    }

    private static List<CapturedConnection> connections(InputStream in) throws IOException {
        TcpCapture capture = new TcpCapture();
        capture.read(new DataInputStream(in));
        return capture.connections;
    }

    private void read(DataInputStream in) throws IOException {
        ByteOrder order = in.readInt() == MAGIC ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        ByteBuffer header = ByteBuffer.wrap(in.readNBytes(FILE_HEADER_BYTES)).order(order);
        if (header.getInt(FILE_HEADER_BYTES - 4) != ETHERNET) {
            throw new IOException("link type " + header.getInt(FILE_HEADER_BYTES - 4));
        }
        while (true) {
            byte[] octets = in.readNBytes(RECORD_HEADER_BYTES);
            if (octets.length == 0) {
                return;
            }
            ByteBuffer record = ByteBuffer.wrap(octets).order(order);
            if (record.getInt(8) != record.getInt(12)) {
                throw new IOException("frame of " + record.getInt(12) + " octets cut to " + record.getInt(8));
            }
            frame(ByteBuffer.wrap(in.readNBytes(record.getInt(8))));
        }
    }

    private void frame(ByteBuffer b) throws IOException {
        int ip = ETHERNET_HEADER_BYTES;
        if (b.getShort(ip - 2) != ETHERTYPE_IPV4 || b.get(ip + 9) != PROTOCOL_TCP) {
            return;
        }
        int tcp = ip + (b.get(ip) & 0x0f) * 4;
        int end = ip + (b.getShort(ip + 2) & 0xffff);
        int payload = tcp + (b.get(tcp + 12) >>> 4 & 0x0f) * 4;
        Endpoints e = new Endpoints(
                b.getInt(ip + 12), b.getShort(tcp) & 0xffff, b.getInt(ip + 16), b.getShort(tcp + 2) & 0xffff);
        int flags = b.get(tcp + 13);
        int sequence = b.getInt(tcp + 4);
        if ((flags & (SYN | ACK)) == SYN) {
            CapturedConnection c = new CapturedConnection(e.fromPort, e.toPort);
            if (open.put(e, c) == null
                    || !connections.get(connections.size() - 1).isSameStart(sequence)) {
                connections.add(c);
            }
        }
        boolean forth = open.containsKey(e);
        CapturedConnection connection = open.get(forth ? e : e.reverse());
        if (connection == null) {
            throw new IOException("the capture begins inside the connection of port " + e.fromPort);
        }
        CapturedConnection.Direction direction = forth ? connection.forth : connection.back;
        if ((flags & SYN) != 0) {
            direction.start(sequence);
        }
        byte[] octets = new byte[end - payload];
        b.get(payload, octets);
        direction.segment(sequence, octets);
        if ((flags & FIN) != 0) {
            direction.fin();
        }
        if ((flags & RST) != 0) {
            direction.reset();
        }
    }
}
