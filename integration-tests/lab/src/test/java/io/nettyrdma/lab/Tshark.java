// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs tshark over a capture file with the options under which it reads iWARP as siw and this project send it. */
final class Tshark {
    /** What stands in the Sends. */
    enum Payload {
        RPC_OVER_RDMA,
        /** rping and the like; their Sends would be taken for broken RPC-over-RDMA or SMB headers. */
        OPAQUE
    }

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final String FIELD_SEPARATOR = "|";

    private final Path capture;
    private final List<String> options = new ArrayList<>();

    Tshark(Path capture, Payload payload) {
        LabRequirements.requireTshark();
        this.capture = capture;
        options.addAll(List.of("tshark", "-n", "-r", capture.toString()));
        // The project's ports are arbitrary, and some belong to other protocols in Wireshark's tables.
        options.addAll(List.of("-o", "tcp.try_heuristic_first:TRUE"));
        // On lo, packets overtake each other when their sender moves to another processor.
        options.addAll(List.of("-o", "tcp.reassemble_out_of_order:TRUE"));
        // With reassembly, only the first of several Sends in one TCP segment would reach the RPC-over-RDMA dissector.
        options.addAll(List.of("-o", "iwarp_ddp_rdmap.reassemble_iwarp_rdma_send:FALSE"));
        if (payload == Payload.OPAQUE) {
            options.addAll(List.of("--disable-heuristic", "rpcrdma_iwarp", "--disable-heuristic", "smb_direct_iwarp"));
        }
    }

    /** Leaves a protocol's contents undissected. */
    Tshark without(String protocol) {
        options.addAll(List.of("--disable-protocol", protocol));
        return this;
    }

    /**
     * Returns a row of the named fields for each frame that passes the display filter; a field that occurs several
     * times in a frame, as with several FPDUs in one segment, has all its values.
     */
    List<List<List<String>>> fields(String displayFilter, String... fields) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-Y", displayFilter, "-T", "fields"));
        arguments.addAll(List.of("-E", "separator=" + FIELD_SEPARATOR, "-E", "occurrence=a", "-E", "aggregator=,"));
        for (String field : fields) {
            arguments.addAll(List.of("-e", field));
        }
        List<List<List<String>>> rows = new ArrayList<>();
        for (String line : run(arguments)) {
            List<List<String>> row = new ArrayList<>();
            for (String value : line.split("\\" + FIELD_SEPARATOR, -1)) {
                row.add(value.isEmpty() ? List.of() : Arrays.asList(value.split(",")));
            }
            if (row.size() != fields.length) {
                throw new IllegalStateException(
                        "tshark printed " + row.size() + " fields, not " + fields.length + ": " + line);
            }
            rows.add(row);
        }
        return rows;
    }

    /** Returns the frames that pass the display filter as text, with one protocol in detail. */
    List<String> details(String displayFilter, String protocol) throws IOException {
        return run(List.of("-Y", displayFilter, "-V", "-O", protocol));
    }

    /** Writes the frames that pass the display filter to a capture of their own. */
    void write(String displayFilter, Path to) throws IOException {
        run(List.of("-Y", displayFilter, "-w", to.toString()));
    }

    private List<String> run(List<String> arguments) throws IOException {
        Path out = Files.createTempFile("tshark", ".out");
        Path err = Files.createTempFile("tshark", ".err");
        try {
            List<String> command = new ArrayList<>(options);
            command.addAll(arguments);
            Process tshark = new ProcessBuilder(command)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!Await.ended(tshark, LIMIT)) {
                tshark.destroyForcibly();
                throw new IOException("tshark took more than " + LIMIT.toSeconds() + " s for " + capture);
            }
            if (tshark.exitValue() != 0) {
                throw new IOException(
                        "tshark ended with " + tshark.exitValue() + " for " + capture + ": " + Files.readString(err));
            }
            // Some fields print octets of the packet as they are.
            return Files.readAllLines(out, StandardCharsets.ISO_8859_1);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
