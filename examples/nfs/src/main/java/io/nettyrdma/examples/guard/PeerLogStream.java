// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Lines of text for a {@link PeerLog}. In the place of {@code System.err} it holds what the loggers of libraries say
 * about a peer, stack traces for example, to the same limit as what a program says itself.
 *
 * <p>Threading: any thread.
 */
public final class PeerLogStream extends OutputStream {

    /** How a line of level ERROR begins; the name of a thread is not a peer's to choose, what follows the level is. */
    private static final Pattern ERROR = Pattern.compile("^\\[[^]]*] ERROR ");

    /** Longest line in octets; the rest of a longer one is dropped. */
    private static final int MAX_LINE_BYTES = 4096;

    private final Consumer<String> log;
    private final Consumer<String> faults;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    /**
     * Lines of loggers.
     *
     * @param log    gets each line when it is complete
     * @param faults gets those of level ERROR instead
     */
    public PeerLogStream(Consumer<String> log, Consumer<String> faults) {
        this.log = log;
        this.faults = faults;
    }

    @Override
    public synchronized void write(int octet) {
        if (octet == '\n') {
            String text = line.toString(Charset.defaultCharset());
            line.reset();
            String shown = text.replace("\t", "    ").stripTrailing();
            (ERROR.matcher(shown).find() ? faults : log).accept(shown);
        } else if (line.size() < MAX_LINE_BYTES) {
            line.write(octet);
        }
    }

    @Override
    public synchronized void write(byte[] octets, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            write(octets[i]);
        }
    }
}
