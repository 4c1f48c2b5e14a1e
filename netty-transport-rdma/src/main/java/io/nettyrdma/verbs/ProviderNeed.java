// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A condition that a provider needs on this machine, and whether it was met when it was checked.
 *
 * @param what   the condition, as a noun
 * @param defect why it is not met, as a sentence that says what to do, or {@code null} if it is met
 * @param remedy a command for a shell, or an option for Java, that usually mends it
 */
public record ProviderNeed(String what, @Nullable String defect, String remedy) {}
