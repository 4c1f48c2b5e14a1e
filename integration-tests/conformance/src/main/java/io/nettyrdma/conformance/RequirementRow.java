// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

/**
 * One numbered requirement. Its text is left in the file.
 *
 * @param level an RFC 2119 word, or {@code DEF} for what a text defines without one
 * @param role  who has to obey
 */
record RequirementRow(String id, String level, String role) {

    boolean isMandatory() {
        return level.equals("MUST") || level.equals("MUST NOT");
    }

    /** {@code V1} of {@code V1-012}. */
    String family() {
        return id.substring(0, id.indexOf('-'));
    }
}
