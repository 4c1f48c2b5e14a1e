/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
