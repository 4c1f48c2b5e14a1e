// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.kit.Vectors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What this codec writes, against the code that rpcgen makes of the XDR of the draft. Needs rpcgen, gcc and libtirpc
 * ({@code apt-get install rpcsvc-proto gcc libtirpc-dev}) and is skipped where one is missing, unless {@code
 * -Drpcgen.required=true}. {@code -Drpcgen.messages} says how many messages.
 */
class RpcgenTest {

    private static final int MESSAGES = Integer.getInteger("rpcgen.messages", 100_000);

    private static final Path HEADERS = Path.of("/usr/include/tirpc");

    @TempDir
    Path directory;

    private final long seed = Long.getLong("io.nettyrdma.test.seed", System.nanoTime());

    @BeforeEach
    void compileTheDraft() throws Exception {
        for (String name : new String[] {"rpcrdma2.x", "messages.c"}) {
            try (InputStream in = RpcgenTest.class.getResourceAsStream("/rpcgen/" + name)) {
                Files.copy(Objects.requireNonNull(in, name), directory.resolve(name));
            }
        }
        if (!Files.exists(HEADERS.resolve("rpc/rpc.h"))) {
            skip("libtirpc-dev is missing: there is no " + HEADERS);
        }
        need("rpcgen", "-C", "-h", "-o", "rpcrdma2.h", "rpcrdma2.x");
        need("rpcgen", "-C", "-c", "-o", "rpcrdma2_xdr.c", "rpcrdma2.x");
        need("gcc", "-w", "-I" + HEADERS, "-o", "messages", "messages.c", "rpcrdma2_xdr.c", "-ltirpc");
    }

    private void need(String... command) throws Exception {
        try {
            Path log = directory.resolve("log");
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly();
            assertThat(ended && process.exitValue() == 0)
                    .as(String.join(" ", command) + ": " + Files.readString(log))
                    .isTrue();
        } catch (IOException e) {
            skip(String.valueOf(e.getMessage()));
        }
    }

    private static void skip(String missing) {
        if (Boolean.getBoolean("rpcgen.required")) {
            fail(missing);
        }
        abort(missing);
    }

    /** What the program of rpcgen makes of messages. */
    private List<String> decodedAndEncoded(List<String> messages) throws Exception {
        Path in = directory.resolve("in");
        Path out = directory.resolve("out");
        Files.write(in, messages);
        Process process = new ProcessBuilder(directory.resolve("messages").toString())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("it ends")
                .isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(out);
    }

    @Test
    void randomMessagesComeBackTheSame() throws Exception {
        Random random = new Random(seed);
        RandomMessages messages = new RandomMessages(random);
        List<String> sent = new ArrayList<>();
        while (sent.size() < MESSAGES) {
            Rdma2Message message = messages.message();
            if (message instanceof Rdma2Message.ErrorMsg error && error.version1Grant() != 0) {
                continue; // the layout of all versions, which is not in the draft's XDR
            }
            ByteBuf out = Unpooled.buffer();
            Rdma2Encoder.encode(message, out);
            messages.appendPayload(message, out);
            sent.add(ByteBufUtil.hexDump(out));
        }

        assertThat(decodedAndEncoded(sent)).as("seed %d", seed).isEqualTo(sent);
    }

    @Test
    void messagesThatAreNoneAreToldByTheProgram() throws Exception {
        List<String> cut = Vectors.load("v2-pos")
                .filter(vector -> !vector.has("layout"))
                .map(vector -> vector.text("hex")
                        .substring(0, 2 * vector.json().get("header_len").asInt() - 8))
                .toList();

        assertThat(decodedAndEncoded(cut)).hasSameSizeAs(cut).containsOnly("-");
    }
}
