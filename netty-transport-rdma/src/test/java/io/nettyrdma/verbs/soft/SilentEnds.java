// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.RawPeer.readResponse;
import static io.nettyrdma.verbs.soft.RawPeer.send;
import static io.nettyrdma.verbs.soft.RawPeer.write;
import static io.nettyrdma.verbs.soft.Stage.payload;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Ends of the TCP connection without a word, at all kinds of places; and what the provider ends itself. */
final class SilentEnds {

    private SilentEnds() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        fins(rows);
        resets(rows);
        rows.add(new Violation("Queue pair brought to error by the application", s -> s.node.extensions.toError(s.qp))
                .ends("queue pair brought to error by this side"));
        rows.add(new Violation("Connection ended by the application", s -> s.node.cm.disconnect(s.id)).ends(null));
        return rows;
    }

    private static void fins(List<Violation> rows) {
        rows.add(new Violation("FIN between two messages", s -> fin(s)).ends(null));
        rows.add(new Violation("FIN behind a Send", s -> {
                    s.send(send(1, 0, true, payload(8)));
                    fin(s);
                })
                .received(1)
                .ends(null));
        for (int octets : new int[] {1, 2, 3, 19, 20, 27, 31}) {
            rows.add(new Violation("FIN behind " + octets + " of 32 octets of an FPDU", s -> {
                        part(s, octets, send(1, 0, true, payload(8)));
                        fin(s);
                    })
                    .ends("peer closed the connection inside an FPDU"));
        }
        rows.add(insideMessage("a Send", s -> send(1, 0, false, payload(8))));
        rows.add(insideMessage("an RDMA Write", s -> write(s.exposed.key(), s.exposed.address(), false, payload(8)))
                .places(8));
        rows.add(insideMessage("a Read Response", s -> readResponse(s.sink.key(), s.sink.address(), false, payload(8)))
                .afterRead()
                .placesInSink(8));
    }

    private static Violation insideMessage(String what, Function<Stage, Consumer<ByteBuffer>> ulpdu) {
        return new Violation("FIN inside " + what, s -> {
                    s.send(ulpdu.apply(s));
                    fin(s);
                })
                .ends("peer closed the connection inside a message");
    }

    private static void resets(List<Violation> rows) {
        rows.add(new Violation("RST between two messages", s -> reset(s))
                .resetByPeer()
                .ends("connection lost: "));
        rows.add(new Violation("RST inside an FPDU", s -> {
                    part(s, 20, send(1, 0, true, payload(8)));
                    s.node.drive();
                    reset(s);
                })
                .resetByPeer()
                .ends("connection lost: "));
    }

    private static void part(Stage s, int octets, Consumer<ByteBuffer> ulpdu) throws IOException {
        s.peer.write(s.fpdu(ulpdu).limit(octets));
    }

    private static void fin(Stage s) throws IOException {
        s.peer.socket.shutdownOutput();
    }

    private static void reset(Stage s) throws IOException {
        s.peer.socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        s.peer.socket.close();
    }
}
