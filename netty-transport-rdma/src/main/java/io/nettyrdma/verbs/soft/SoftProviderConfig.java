// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.SystemPropertyUtil;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
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

    private static final String PREFIX = "io.nettyrdma.soft.";

    /** The system properties: what each sets. */
    private static final Map<String, BiConsumer<Builder, String>> PROPERTIES = Map.ofEntries(
            Map.entry("crcMode", SoftProviderConfig::crcMode),
            Map.entry("mpaRevision", number(Builder::mpaRevision)),
            Map.entry("fpduPayloadBytes", number(Builder::fpduPayloadBytes)),
            Map.entry("stagingBytes", number(Builder::stagingBytes)),
            Map.entry("maxReadsInFlight", number(Builder::maxReadsInFlight)),
            Map.entry("connectTimeoutMillis", number(Builder::connectTimeoutMillis)),
            Map.entry("receiverNotReadyTimeoutMillis", number(Builder::receiverNotReadyTimeoutMillis)));

    private final CrcMode crcMode;
    private final int mpaRevision;
    private final int fpduPayloadBytes;
    private final int stagingBytes;
    private final int maxReadsInFlight;
    private final int connectTimeoutMillis;
    private final int receiverNotReadyTimeoutMillis;

    private final SoftTimeouts timeouts;

    private SoftProviderConfig(Builder b) {
        timeouts = b.timeouts.copy();
        crcMode = b.crcMode;
        mpaRevision = b.mpaRevision;
        fpduPayloadBytes = b.fpduPayloadBytes;
        stagingBytes = b.stagingBytes;
        maxReadsInFlight = b.maxReadsInFlight;
        connectTimeoutMillis = b.connectTimeoutMillis;
        receiverNotReadyTimeoutMillis = b.receiverNotReadyTimeoutMillis;
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

    CrcMode crcMode() {
        return crcMode;
    }

    int mpaRevision() {
        return mpaRevision;
    }

    int fpduPayloadBytes() {
        return fpduPayloadBytes;
    }

    int stagingBytes() {
        return stagingBytes;
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

    long partialFpduTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.partialFpduMillis);
    }

    long lingerTimeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(timeouts.lingerMillis);
    }

    /** Collects values; each method returns the builder and throws {@link IllegalArgumentException} if out of range. */
    public static final class Builder {
        private CrcMode crcMode = CrcMode.PREFER;
        private int mpaRevision = 2;
        private int fpduPayloadBytes = 61440;
        private int stagingBytes = 256 * 1024;
        private int maxReadsInFlight = 128;
        private int connectTimeoutMillis = 10_000;
        private int receiverNotReadyTimeoutMillis = 1_000;

        private final SoftTimeouts timeouts = new SoftTimeouts();

        private Builder() {}

        /** Whether FPDUs carry CRCs; default {@link CrcMode#PREFER}. Costs a few percent of the TCP copy. */
        public Builder crcMode(CrcMode value) {
            crcMode = value;
            return this;
        }

        /** Revision of MPA Requests: 2 (default) negotiates read depths, 1 is for peers that know RFC 5044 only. */
        public Builder mpaRevision(int value) {
            mpaRevision = Ranges.require("mpaRevision", value, 1, 2);
            return this;
        }

        /**
         * Largest payload of one FPDU sent, a multiple of 8 octets; default 61440. Hardware peers may want less than
         * one TCP segment, for example 1424 with an MTU of 1500.
         */
        public Builder fpduPayloadBytes(int value) {
            fpduPayloadBytes = Ranges.require("fpduPayloadBytes", value, 8, 64_736);
            if (value % 8 != 0) {
                // RFC 5044, section 4.5: a pad only at the end of a message keeps the stream aligned.
                throw new IllegalArgumentException("fpduPayloadBytes: " + value + " (expected: a multiple of 8)");
            }
            return this;
        }

        /**
         * Octets of a staging buffer; default 262144. An event channel has two, a connection that TCP does not take
         * octets from holds one more. Also bounds what one connection may send before others get their turn.
         */
        public Builder stagingBytes(int value) {
            stagingBytes = Ranges.require("stagingBytes", value, 2 * Fpdu.MAX_BYTES, 64 * 1024 * 1024);
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
         * by {@code RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS}. What has come meanwhile takes up to {@link #stagingBytes}
         * of direct memory per connection.
         */
        public Builder receiverNotReadyTimeoutMillis(int value) {
            receiverNotReadyTimeoutMillis =
                    Ranges.require("receiverNotReadyTimeoutMillis", value, 0, Integer.MAX_VALUE);
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
