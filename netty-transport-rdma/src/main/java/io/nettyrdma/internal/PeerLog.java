// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.util.internal.logging.InternalLogLevel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A log of one kind of things that peers cause, which none of them can flood or forge. Of one kind at most {@value
 * #LINES_PER_SECOND} lines are written within a second, of all kinds in this JVM at most {@value
 * #LINES_PER_SECOND_IN_ALL}, of which {@value #PEER_LINES_PER_SECOND_IN_ALL} may be about peers: a flood of those hides
 * no fault of this side. The next line tells how many were left out. What is written is one line of printable ASCII,
 * at most {@value #MAX_CHARACTERS} characters long. The stack trace of a fault of this side comes with the first line
 * of a minute; all others are written at DEBUG.
 *
 * <p>Threading: any thread.
 */
public final class PeerLog {

    /** Lines of one kind within a second. */
    public static final int LINES_PER_SECOND = 3;
    /** Lines of all kinds within a second. */
    public static final int LINES_PER_SECOND_IN_ALL = 10;
    /** Those of them that are no faults of this side, so that three are left for faults. */
    public static final int PEER_LINES_PER_SECOND_IN_ALL = 7;
    /** Length of a line, without what the logging framework puts around it. */
    public static final int MAX_CHARACTERS = 512;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    // One for all, because it is one log that a flood would fill.
    private static final RateLimit ALL = new RateLimit(LINES_PER_SECOND_IN_ALL, SECOND, System::nanoTime);

    private static final RateLimit ALL_OF_PEERS = new RateLimit(PEER_LINES_PER_SECOND_IN_ALL, SECOND, System::nanoTime);

    /** What is allowed of one sort of lines of this log. */
    private static final class Share {

        private final RateLimit lines;
        private long leftOut;

        Share(RateLimit lines) {
            this.lines = lines;
        }
    }

    static {
        // Loads the class now: a line may say that no file is left, and a class in a directory needs one.
        Printable.text("", MAX_CHARACTERS);
    }

    private final InternalLogger logger;
    private final RateLimit all;
    private final RateLimit allOfPeers;
    private final RateLimit traces;
    private final Share ofPeers;
    private final Share ofFaults;

    /** The log of what peers cause in {@code type}. */
    public static PeerLog of(Class<?> type) {
        return new PeerLog(
                InternalLoggerFactory.getInstance(type),
                ALL,
                ALL_OF_PEERS,
                new RateLimit(LINES_PER_SECOND, SECOND, System::nanoTime),
                new RateLimit(LINES_PER_SECOND, SECOND, System::nanoTime),
                new RateLimit(1, MINUTE, System::nanoTime));
    }

    /**
     * A log with limits of its own.
     *
     * @param all        shared with other logs
     * @param allOfPeers shared with other logs; lines that are no faults of this side
     * @param ofPeers    such lines of this log
     * @param ofFaults   faults of this side in this log
     * @param traces     of this log
     */
    public PeerLog(
            InternalLogger logger,
            RateLimit all,
            RateLimit allOfPeers,
            RateLimit ofPeers,
            RateLimit ofFaults,
            RateLimit traces) {
        this.logger = logger;
        this.all = all;
        this.allOfPeers = allOfPeers;
        this.traces = traces;
        this.ofPeers = new Share(ofPeers);
        this.ofFaults = new Share(ofFaults);
    }

    /** Logs what only explains why a peer is not served. */
    public void info(Supplier<String> what) {
        log(InternalLogLevel.INFO, what, null);
    }

    /** Something that this side may have to do something about. */
    public void warn(Supplier<String> what) {
        log(InternalLogLevel.WARN, what, null);
    }

    /** As {@link #warn(Supplier)}, with the message of {@code cause}. */
    public void warn(Supplier<String> what, Throwable cause) {
        log(InternalLogLevel.WARN, () -> what.get() + ": " + cause, null);
        logger.debug("stack trace of the line above", cause);
    }

    /** A fault of this side that a peer has brought about. */
    public void error(Supplier<String> what, Throwable cause) {
        log(InternalLogLevel.ERROR, () -> what.get() + ": " + cause, cause);
    }

    private void log(InternalLogLevel level, Supplier<String> what, @Nullable Throwable cause) {
        if (!logger.isEnabled(level)) {
            return;
        }
        long before = level == InternalLogLevel.ERROR ? take(ofFaults) : take(ofPeers);
        if (before < 0) {
            return;
        }
        String line = Printable.text(what.get(), MAX_CHARACTERS)
                + (before == 0 ? "" : " (" + before + " lines of this kind were left out before)");
        if (cause != null && traces.tryTake()) {
            logger.log(level, line, cause);
        } else {
            logger.log(level, line);
        }
    }

    /** The number of lines left out since the last, or -1 if this one is to be left out too. */
    private synchronized long take(Share share) {
        if (!share.lines.hasRoom() || share == ofPeers && !allOfPeers.tryTake() || !all.tryTake()) {
            share.leftOut++;
            return -1;
        }
        share.lines.tryTake();
        long before = share.leftOut;
        share.leftOut = 0;
        return before;
    }
}
