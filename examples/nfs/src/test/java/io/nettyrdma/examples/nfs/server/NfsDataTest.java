// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import io.nettyrdma.examples.nfs.server.NfsClient.Wcc;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is in files. */
class NfsDataTest extends NfsServerFixture {

    private byte[] contents(byte[] file, int length) throws Exception {
        byte[] all = new byte[length];
        for (int at = 0; at < length; ) {
            Reply reply = read(file, at, 3001).ok();
            reply.postOp();
            int count = reply.in.readInt();
            boolean end = reply.in.readInt() == 1;
            byte[] data = reply.opaque();
            reply.end();
            assertThat(data).hasSize(count);
            System.arraycopy(data, 0, all, at, count);
            at += count;
            assertThat(end).isEqualTo(at == length);
        }
        return all;
    }

    @Test
    void dataComesBackAsItWasWritten() throws Exception {
        byte[] file = newFile("file");
        byte[] data = new byte[20_011];
        new Random(1).nextBytes(data);
        for (int at = 0; at < data.length; at += 3000) {
            byte[] piece = Arrays.copyOfRange(data, at, Math.min(data.length, at + 3000));
            Reply reply = write(file, at, piece, 0).ok();
            Wcc wcc = reply.wcc();
            assertThat(wcc.sizeBefore()).isEqualTo(at);
            assertThat(wcc.after().size()).isEqualTo(at + piece.length);
            assertThat(reply.in.readInt()).isEqualTo(piece.length);
            assertThat(reply.in.readInt()).isBetween(0, 2);
            reply.in.skipBytes(8);
            reply.end();
        }
        assertThat(contents(file, data.length)).isEqualTo(data);
        assertThat(Files.readAllBytes(export.resolve("file"))).isEqualTo(data);
        Reply behind = read(file, 1 << 20, 100).ok();
        behind.postOp();
        assertThat(behind.in.readInt()).isZero();
        assertThat(behind.in.readInt()).isOne();
        assertThat(behind.opaque()).isEmpty();
        behind.end();
    }

    @Test
    void commitAndWriteTellOneVerifierUntilARestart() throws Exception {
        byte[] file = newFile("file");
        long written = writeVerifier(write(file, 0, new byte[10], 0).ok());
        assertThat(writeVerifier(write(file, 0, new byte[10], 2).ok())).isEqualTo(written);
        assertThat(commitVerifier(file)).isEqualTo(written);
        stopServer();
        startServer();
        assertThat(commitVerifier(lookup(root, "file").ok().opaque())).isNotEqualTo(written);
    }

    private static long writeVerifier(Reply reply) {
        reply.wcc();
        reply.in.skipBytes(8);
        return reply.in.readLong();
    }

    private long commitVerifier(byte[] file) throws Exception {
        Reply reply = client.call(Nfs3Procedure.COMMIT, opaque(file), longs(0), ints(0))
                .ok();
        reply.wcc();
        long verifier = reply.in.readLong();
        reply.end();
        return verifier;
    }

    @Test
    void manyWritersAtOnceLeaveWhatTheyWrote() throws Exception {
        int writers = 8;
        int pieces = 40;
        int bytes = 1000;
        byte[] file = newFile("shared");
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<Future<?>> done = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            int me = writer;
            done.add(threads.submit(() -> {
                try (NfsClient mine = connect()) {
                    for (int piece = 0; piece < pieces; piece++) {
                        byte[] data = new byte[bytes];
                        Arrays.fill(data, (byte) (me * pieces + piece));
                        mine.call(
                                        Nfs3Procedure.WRITE,
                                        opaque(file),
                                        longs((long) (piece * writers + me) * bytes),
                                        ints(bytes, 0),
                                        opaque(data))
                                .ok();
                        mine.call(
                                        Nfs3Procedure.CREATE,
                                        opaque(root),
                                        string("file-" + me + "-" + piece),
                                        ints(1),
                                        NO_ATTRIBUTES)
                                .ok();
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : done) {
            each.get(Deadline.SECONDS, TimeUnit.SECONDS);
        }
        threads.shutdown();
        byte[] all = Files.readAllBytes(export.resolve("shared"));
        assertThat(all).hasSize(writers * pieces * bytes);
        for (int at = 0; at < all.length; at++) {
            int piece = at / bytes / writers;
            int writer = at / bytes % writers;
            assertThat(all[at]).isEqualTo((byte) (writer * pieces + piece));
        }
        assertThat(list(false, () -> null)).hasSize(2 + 1 + writers * pieces);
    }
}
