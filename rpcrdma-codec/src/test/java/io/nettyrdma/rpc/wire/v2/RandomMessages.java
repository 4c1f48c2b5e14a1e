// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RandomChunks;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Valid messages of every kind. */
public final class RandomMessages {

    private final Random random;
    private final RandomChunks chunks;

    public RandomMessages(Random random) {
        this.random = random;
        chunks = new RandomChunks(random);
    }

    /** A message. */
    public Rdma2Message message() {
        int xid = 1 + random.nextInt(Integer.MAX_VALUE);
        int credits = random.nextInt();
        boolean response = random.nextBoolean();
        int flags = response ? Rdma2.RESPONSE : 0;
        int handle = response ? 0 : random.nextInt();
        return switch (random.nextInt(8)) {
            case 0 -> new Rdma2Message.CreditGrant(credits);
            case 1 -> Rdma2Message.ErrorMsg.of(xid, credits, error());
            case 2 ->
                Rdma2Message.ErrorMsg.versions(
                        xid, 3 + random.nextInt(9), 1 + random.nextInt(99), chunks.word(), chunks.word());
            case 3 -> new Rdma2Message.ConnProp(xid, credits, 4 * random.nextInt(2), properties());
            case 4 ->
                new Rdma2Message.NoMsg(
                        xid,
                        credits,
                        flags,
                        handle,
                        response ? chunks.returnedWithPayload() : chunks.offeredWithPayload());
            case 5 -> new Rdma2Message.Msg(xid, credits, flags | Rdma2.MORE, 0, ChunkLists.ABSENT);
            default ->
                new Rdma2Message.Msg(xid, credits, flags, handle, response ? chunks.returned() : chunks.offered());
        };
    }

    /** What stands behind the header. */
    public void appendPayload(Rdma2Message message, ByteBuf out) {
        if (message instanceof Rdma2Message.Msg) {
            out.writeInt(message.xid()).writeInt(message.response() ? 1 : 0);
            out.writeZero(4 * random.nextInt(20));
        }
    }

    private Rdma2Error error() {
        Rdma2ErrorCode code = Rdma2ErrorCode.values()[1 + random.nextInt(Rdma2ErrorCode.values().length - 1)];
        return new Rdma2Error(code, code.arguments() < 1 ? 0 : chunks.word(), code.arguments() < 2 ? 0 : chunks.word());
    }

    List<TransportProperty> properties() {
        List<TransportProperty> set = new ArrayList<>();
        for (int i = random.nextInt(8); i > 0; i--) {
            set.add(
                    switch (random.nextInt(9)) {
                        case 0 -> TransportProperty.sendBytes(chunks.word());
                        case 1 -> TransportProperty.receiveBytes(chunks.word());
                        case 2 -> TransportProperty.segmentBytes(chunks.word());
                        case 3 -> TransportProperty.segmentsPerHeader(chunks.word());
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
}
