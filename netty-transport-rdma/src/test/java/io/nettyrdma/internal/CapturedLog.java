// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.util.internal.logging.InternalLogLevel;
import io.netty.util.internal.logging.InternalLogger;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The log of what peers cause as tests see it: what is written at INFO and above is kept instead of printed, and time
 * passes when the test says so.
 *
 * <p>Threading: any thread.
 */
public final class CapturedLog {

    /** What was written. */
    public record Line(InternalLogLevel level, String text, Throwable trace) {}

    /** All of it. */
    public final List<Line> lines = new CopyOnWriteArrayList<>();

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final RateLimit all = new RateLimit(PeerLog.LINES_PER_SECOND_IN_ALL, 1_000_000_000, nanos::get);
    private final RateLimit allOfPeers = new RateLimit(PeerLog.PEER_LINES_PER_SECOND_IN_ALL, 1_000_000_000, nanos::get);

    /** A log of another kind that shares the limit of all. */
    public PeerLog log() {
        return new PeerLog(
                (InternalLogger) Proxy.newProxyInstance(
                        InternalLogger.class.getClassLoader(),
                        new Class<?>[] {InternalLogger.class},
                        (proxy, method, arguments) -> switch (method.getName()) {
                            case "isEnabled" -> ((InternalLogLevel) arguments[0]).compareTo(InternalLogLevel.INFO) >= 0;
                            case "log" -> {
                                Throwable trace = arguments.length > 2 ? (Throwable) arguments[2] : null;
                                lines.add(new Line((InternalLogLevel) arguments[0], (String) arguments[1], trace));
                                yield null;
                            }
                            case "debug" -> null;
                            default -> throw new UnsupportedOperationException(method.getName());
                        }),
                all,
                allOfPeers,
                new RateLimit(PeerLog.LINES_PER_SECOND, 1_000_000_000, nanos::get),
                new RateLimit(PeerLog.LINES_PER_SECOND, 1_000_000_000, nanos::get),
                new RateLimit(1, TimeUnit.MINUTES.toNanos(1), nanos::get));
    }

    /** Lets time pass. */
    public void pass(long passed, TimeUnit unit) {
        nanos.addAndGet(unit.toNanos(passed));
    }

    /** What was written, without levels and traces. */
    public List<String> texts() {
        return lines.stream().map(Line::text).toList();
    }
}
