// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.verbs.ProviderKind;

/**
 * The verbs provider of this JVM, which {@link Rdma#provider()} returns.
 *
 * <p>Threading: immutable.
 */
public final class RdmaProviderInfo {

    private final String name;
    private final ProviderKind kind;
    private final String reason;
    private final String report;

    RdmaProviderInfo(String name, ProviderKind kind, String reason, String report) {
        this.name = name;
        this.kind = kind;
        this.reason = reason;
        this.report = report;
    }

    /** Returns the value of {@value Rdma#PROVIDER_PROPERTY} that names it, or {@code custom}. */
    public String name() {
        return name;
    }

    /** Returns whether it is a device of the kernel or software in this process. */
    public ProviderKind kind() {
        return kind;
    }

    /** Returns the reason for the choice, as the end of a sentence. */
    public String reason() {
        return reason;
    }

    /** Returns one line for a log or a console: the choice, its reason, and how to change it. */
    @Override
    public String toString() {
        return report;
    }
}
