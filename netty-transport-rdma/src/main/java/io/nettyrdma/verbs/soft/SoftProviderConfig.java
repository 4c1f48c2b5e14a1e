// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.SystemPropertyUtil;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Limits and waits of the software provider. Every value can be given by the builder or, for
 * {@link #fromSystemProperties()}, by a system property {@code io.nettyrdma.soft.<name>} named like the builder's
 * method, for example {@code -Dio.nettyrdma.soft.crcMode=require}.
 *
 * <p>Threading: immutable.
 */
public final class SoftProviderConfig {

    /**
     * Largest payload of one FPDU sent. MPA's length of 16 bits leaves no room for 65,536 octets and a header, so a
     * message of that length takes two FPDUs: with this number two of the same length. A multiple of 8, because a pad
     * only at the end of a message keeps the stream aligned (RFC 5044, section 4.5).
     */
    static final int FPDU_PAYLOAD_BYTES = 32_768;

    /** Batches sent or received before a connection asks for shared memory, which costs as much as these save. */
    private static final int SAME_HOST_BATCHES = 32;

    /** The values of the system property: after how many batches connections ask. */
    static final Map<String, Integer> SAME_HOST = Map.of("never", -1, "auto", SAME_HOST_BATCHES, "always", 0);

    private static final String PREFIX = "io.nettyrdma.soft.";

    /** The system properties: what each sets. */
    private static final Map<String, BiConsumer<Builder, String>> PROPERTIES = Map.ofEntries(
            Map.entry("crcMode", SoftProviderConfig::crcMode),
            Map.entry("maxReadsInFlight", number(Builder::maxReadsInFlight)),
            Map.entry("connectTimeoutMillis", number(Builder::connectTimeoutMillis)),
            Map.entry("receiverNotReadyTimeoutMillis", number(Builder::receiverNotReadyTimeoutMillis)),
            Map.entry("sameHost", SoftProviderConfig::sameHost));

    private final CrcMode crcMode;
    private final int fpduPayloadBytes;
    private final int maxReadsInFlight;
    private final int connectTimeoutMillis;
    private final int receiverNotReadyTimeoutMillis;
    private final int sameHostAfterBatches;

    private final SoftTimeouts timeouts;

    private SoftProviderConfig(Builder b) {
        timeouts = b.timeouts.copy();
        crcMode = b.crcMode;
        fpduPayloadBytes = b.fpduPayloadBytes;
        maxReadsInFlight = b.maxReadsInFlight;
        connectTimeoutMillis = b.connectTimeoutMillis;
        receiverNotReadyTimeoutMillis = b.receiverNotReadyTimeoutMillis;
        sameHostAfterBatches = b.sameHostAfterBatches;
    }

    /** A builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The defaults, changed by system properties.
     *
     * @throws IllegalArgumentException if a property has a value that means nothing or is out of range; the message
     *                                  names it
     */
    public static SoftProviderConfig fromSystemProperties() {
        return fromProperties(SystemPropertyUtil::get);
    }

    /** The names of the system properties that {@link #fromSystemProperties()} reads. */
    public static Set<String> propertyNames() {
        return PROPERTIES.keySet().stream().map(PREFIX::concat).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The defaults, changed by properties.
     *
     * @param properties gives the value of a property, or {@code null} if it is not set
     * @throws IllegalArgumentException as {@link #fromSystemProperties()}
     */
    public static SoftProviderConfig fromProperties(UnaryOperator<@Nullable String> properties) {
        Builder builder = new Builder();
        PROPERTIES.forEach((name, setting) -> {
            String value = properties.apply(PREFIX + name);
            if (value != null) {
                try {
                    setting.accept(builder, value.trim());
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("-D" + PREFIX + name + '=' + value + ": " + e.getMessage(), e);
                }
            }
        });
        return builder.build();
    }

    private static BiConsumer<Builder, String> number(ObjIntConsumer<Builder> setting) {
        return (builder, value) -> {
            int number;
            try {
                number = Integer.parseInt(value);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("not a number", e);
            }
            setting.accept(builder, number);
        };
    }

    private static void crcMode(Builder builder, String value) {
        for (CrcMode mode : CrcMode.values()) {
            if (mode.name().equalsIgnoreCase(value)) {
                builder.crcMode(mode);
                return;
            }
        }
        throw new IllegalArgumentException("no CRC mode (expected: prefer, require or never)");
    }

    private static void sameHost(Builder builder, String value) {
        Integer batches = SAME_HOST.get(value);
        if (batches == null) {
            throw new IllegalArgumentException("no such way (expected: auto, never or always)");
        }
        builder.sameHostAfterBatches(batches);
    }

    CrcMode crcMode() {
        return crcMode;
    }

    int fpduPayloadBytes() {
        return fpduPayloadBytes;
    }

    int maxReadsInFlight() {
        return maxReadsInFlight;
    }

    /** Returns how an error says that one of these waits has ended. */
    static String within(long nanos) {
        return "within " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }

    long connectTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(connectTimeoutMillis);
    }

    long mpaRequestTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.mpaRequestMillis);
    }

    long silenceGraceNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.silenceGraceMillis);
    }

    long mpaReplyTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.mpaReplyMillis);
    }

    long acceptTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.acceptMillis);
    }

    long firstFpduTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.firstFpduMillis);
    }

    int receiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }

    /** After how many batches a connection asks for shared memory, or less than 0 if none does. */
    int sameHostAfterBatches() {
        return sameHostAfterBatches;
    }

    long partialFpduTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.partialFpduMillis);
    }

    long lingerTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.lingerMillis);
    }

    /** Collects values; each method returns the builder and throws {@link IllegalArgumentException} if out of range. */
    public static final class Builder {
        private CrcMode crcMode = CrcMode.PREFER;
        private int fpduPayloadBytes = FPDU_PAYLOAD_BYTES;
        private int maxReadsInFlight = 128;
        private int connectTimeoutMillis = 10_000;
        private int receiverNotReadyTimeoutMillis = 1_000;
        private int sameHostAfterBatches = SAME_HOST_BATCHES;

        private final SoftTimeouts timeouts = new SoftTimeouts();

        private Builder() {}

        /** Whether FPDUs carry CRCs; default {@link CrcMode#PREFER}. Costs a few percent of the TCP copy. */
        public Builder crcMode(CrcMode value) {
            crcMode = value;
            return this;
        }

        /** Changes the payload of FPDUs, for tests. */
        Builder fpduPayloadBytes(int value) {
            fpduPayloadBytes = value;
            return this;
        }

        /** Largest number of RDMA Reads in flight per connection and direction; default 128. */
        public Builder maxReadsInFlight(int value) {
            maxReadsInFlight = Ranges.require("maxReadsInFlight", value, 1, 128);
            return this;
        }

        /** Longest wait for the TCP connection; default 10 seconds. */
        public Builder connectTimeoutMillis(int value) {
            connectTimeoutMillis = Ranges.require("connectTimeoutMillis", value, 1, Integer.MAX_VALUE);
            return this;
        }

        /**
         * How long reading pauses when a Send finds no posted receive, before the connection is terminated; default
         * 1 second, 0 terminates at once. This is what connections get that do not ask for another time; channels ask
         * by {@code RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS}. What has come meanwhile takes up to 256 KiB of direct
         * memory per connection.
         */
        public Builder receiverNotReadyTimeoutMillis(int value) {
            receiverNotReadyTimeoutMillis =
                    Ranges.require("receiverNotReadyTimeoutMillis", value, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Whether a connection between two processes of this user on this host moves to shared memory when it has
         * traffic; default true. The property has the values {@code auto}, {@code never} and {@code always}, with which
         * a connection moves at once.
         */
        public Builder sameHost(boolean value) {
            return sameHostAfterBatches(value ? SAME_HOST_BATCHES : -1);
        }

        /** Changes when a connection moves, for tests. */
        Builder sameHostAfterBatches(int value) {
            sameHostAfterBatches = value;
            return this;
        }

        /** Changes waits that are the same for all programs, for tests. */
        Builder timeouts(Consumer<SoftTimeouts> change) {
            change.accept(timeouts);
            return this;
        }

        /** The configuration. */
        public SoftProviderConfig build() {
            return new SoftProviderConfig(this);
        }
    }
}
