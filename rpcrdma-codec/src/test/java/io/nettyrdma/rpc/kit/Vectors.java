// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The golden vectors: messages made by independent code, one JSON object per line. */
public final class Vectors {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Vectors() {}

    /** One line of a file. */
    public record Vector(JsonNode json) {

        public String text(String key) {
            return Objects.requireNonNull(json.get(key), key).asText();
        }

        public boolean has(String key) {
            return json.hasNonNull(key);
        }

        public byte[] octets(String key) {
            return ByteBufUtil.decodeHexDump(text(key));
        }

        public ByteBuf buffer(String key) {
            return Unpooled.wrappedBuffer(octets(key));
        }

        public JsonNode fields() {
            return json.get("fields");
        }

        /** What a receiver in the vector's role takes the message for. */
        public Direction direction() {
            return text("role").equals("responder") ? Direction.CALL : Direction.REPLY;
        }

        @Override
        public String toString() {
            String about = has("why") ? text("why") : has("note") ? text("note") : "";
            return text("id") + " " + about;
        }
    }

    public static Stream<Vector> load(String file) {
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + file + ".jsonl");
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
            List<Vector> vectors = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                vectors.add(new Vector(MAPPER.readTree(line)));
            }
            return vectors.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Numbers beyond 2^31-1 are strings in the files. */
    public static long number(JsonNode fields, String key) {
        JsonNode value = Objects.requireNonNull(fields.get(key), key);
        return value.isTextual() ? Long.parseUnsignedLong(value.asText()) : value.asLong();
    }

    public static ChunkLists chunks(JsonNode fields) {
        List<ReadSegment> readList = new ArrayList<>();
        for (JsonNode node : fields.get("read_list")) {
            readList.add(new ReadSegment(number(node, "position"), segment(node)));
        }
        List<WriteChunk> writeList = new ArrayList<>();
        for (JsonNode node : fields.get("write_list")) {
            writeList.add(writeChunk(node));
        }
        JsonNode replyChunk = fields.get("reply_chunk");
        return new ChunkLists(readList, writeList, replyChunk.isNull() ? null : writeChunk(replyChunk));
    }

    private static WriteChunk writeChunk(JsonNode node) {
        List<PlainSegment> segments = new ArrayList<>();
        node.forEach(segment -> segments.add(segment(segment)));
        return new WriteChunk(segments);
    }

    private static PlainSegment segment(JsonNode node) {
        return new PlainSegment((int) number(node, "handle"), number(node, "length"), number(node, "offset"));
    }
}
