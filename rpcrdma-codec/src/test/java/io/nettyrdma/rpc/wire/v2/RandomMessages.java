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
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Valid messages of every kind. */
final class RandomMessages {

    private final Random random;

    RandomMessages(Random random) {
        this.random = random;
    }

    Rdma2Message message() {
        int xid = 1 + random.nextInt(Integer.MAX_VALUE);
        int credits = random.nextInt();
        boolean response = random.nextBoolean();
        int flags = response ? Rdma2.RESPONSE : 0;
        int handle = response ? 0 : random.nextInt();
        return switch (random.nextInt(8)) {
            case 0 -> new Rdma2Message.CreditGrant(credits);
            case 1 -> Rdma2Message.ErrorMsg.of(xid, credits, error());
            case 2 ->
                Rdma2Message.ErrorMsg.versions(xid, 3 + random.nextInt(9), 1 + random.nextInt(99), word(), word());
            case 3 -> new Rdma2Message.ConnProp(xid, credits, 4 * random.nextInt(2), properties());
            case 4 -> new Rdma2Message.NoMsg(xid, credits, flags, handle, longMessage(response));
            case 5 -> new Rdma2Message.Msg(xid, credits, flags | Rdma2.MORE, 0, ChunkLists.ABSENT);
            default -> new Rdma2Message.Msg(xid, credits, flags, handle, response ? returned() : offered());
        };
    }

    /** What stands behind the header. */
    void appendPayload(Rdma2Message message, ByteBuf out) {
        if (message instanceof Rdma2Message.Msg) {
            out.writeInt(message.xid()).writeInt(message.response() ? 1 : 0);
            out.writeZero(4 * random.nextInt(20));
        }
    }

    private Rdma2Error error() {
        Rdma2ErrorCode code = Rdma2ErrorCode.values()[1 + random.nextInt(Rdma2ErrorCode.values().length - 1)];
        return new Rdma2Error(code, code.arguments() < 1 ? 0 : word(), code.arguments() < 2 ? 0 : word());
    }

    List<TransportProperty> properties() {
        List<TransportProperty> set = new ArrayList<>();
        for (int i = random.nextInt(8); i > 0; i--) {
            set.add(
                    switch (random.nextInt(9)) {
                        case 0 -> TransportProperty.sendBytes(word());
                        case 1 -> TransportProperty.receiveBytes(word());
                        case 2 -> TransportProperty.segmentBytes(word());
                        case 3 -> TransportProperty.segmentsPerHeader(word());
                        case 4 -> TransportProperty.reverseLevel(ReverseLevel.values()[random.nextInt(4)]);
                        case 5 -> TransportProperty.hostAuthentication(octets());
                        case 6 -> TransportProperty.of(1 + random.nextInt(6), new byte[0]);
                        default -> TransportProperty.of(7 + random.nextInt(Integer.MAX_VALUE), octets());
                    });
        }
        return set;
    }

    private byte[] octets() {
        byte[] octets = new byte[random.nextInt(40)];
        random.nextBytes(octets);
        return octets;
    }

    private ChunkLists offered() {
        return new ChunkLists(readList(), writeList(), random.nextBoolean() ? chunk() : null);
    }

    private ChunkLists returned() {
        @Nullable WriteChunk reply = random.nextBoolean() ? chunk().asUnused() : null;
        return new ChunkLists(List.of(), writeList(), reply);
    }

    private ChunkLists longMessage(boolean response) {
        PlainSegment payload = new PlainSegment(random.nextInt(), 1 + word() / 2, random.nextLong());
        return response
                ? new ChunkLists(List.of(), writeList(), new WriteChunk(List.of(payload)))
                : new ChunkLists(List.of(new ReadSegment(0, payload)), writeList(), chunk());
    }

    /** Chunks whose items lie next to each other, the first behind the two words of payload there always are. */
    private List<ReadSegment> readList() {
        List<ReadSegment> list = new ArrayList<>();
        long position = 8;
        for (int chunk = random.nextInt(3); chunk > 0 && position < 1 << 30; chunk--) {
            long bytes = 0;
            for (int segment = 1 + random.nextInt(3); segment > 0; segment--) {
                PlainSegment memory = new PlainSegment(random.nextInt(), random.nextInt(1 << 28), random.nextLong());
                list.add(random.nextInt(list.size() + 1), new ReadSegment(position, memory));
                bytes += memory.lengthBytes();
            }
            position += bytes + 3 & ~3L;
        }
        return list;
    }

    private List<WriteChunk> writeList() {
        List<WriteChunk> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(chunk());
        }
        return list;
    }

    private WriteChunk chunk() {
        List<PlainSegment> segments = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            segments.add(new PlainSegment(random.nextInt(), word(), random.nextLong()));
        }
        return new WriteChunk(segments);
    }

    private long word() {
        return random.nextInt() & 0xffff_ffffL;
    }
}
