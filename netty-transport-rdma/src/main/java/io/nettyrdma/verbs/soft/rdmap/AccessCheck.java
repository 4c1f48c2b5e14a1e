// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of an access check. The order of the checks is: key known, all 32 bits equal, region valid, same protection
 * domain, rights, bounds.
 */
enum AccessCheck {
    OK(null, null),
    /** Key unknown, or its region no longer valid. */
    INVALID_KEY(TerminateError.DDP_INVALID_STAG, TerminateError.RDMAP_INVALID_STAG),
    /** Other protection domain. */
    WRONG_PD(TerminateError.DDP_STAG_NOT_ASSOCIATED, TerminateError.RDMAP_STAG_NOT_ASSOCIATED),
    /** Missing right. DDP has no code for it; Linux says "invalid STag". */
    NO_RIGHT(TerminateError.DDP_INVALID_STAG, TerminateError.RDMAP_ACCESS),
    /** Not within the region. */
    OUT_OF_BOUNDS(TerminateError.DDP_BOUNDS, TerminateError.RDMAP_BOUNDS),
    WRAPS(TerminateError.DDP_TO_WRAP, TerminateError.RDMAP_TO_WRAP);

    /** In place of a right: this side reads its own memory, which needs none. */
    static final int LOCAL_READ = 0;

    private final TerminateError placementError;
    private final TerminateError readError;

    @SuppressWarnings("NullAway") // OK has neither, and is not asked for them
    AccessCheck(@Nullable TerminateError placementError, @Nullable TerminateError readError) {
        this.placementError = placementError;
        this.readError = readError;
    }

    /** What to report about a tagged segment. */
    TerminateError placementError() {
        return placementError;
    }

    /** What to report about the source of an RDMA Read. */
    TerminateError readError() {
        return readError;
    }

    /**
     * Checks a range.
     *
     * @param right one of {@code VerbsConstants.ACCESS_*}, or {@link #LOCAL_READ}
     */
    static AccessCheck check(@Nullable Region region, ProtectionDomain domain, int right, long address, long length) {
        if (region == null || !region.isValid()) {
            return INVALID_KEY;
        }
        if (region.domain() != domain) {
            return WRONG_PD;
        }
        if (right != LOCAL_READ && (region.rights() & right) == 0) {
            return NO_RIGHT;
        }
        // The end may be 2^64 itself only in theory, since no region reaches that far.
        if (length != 0 && Long.compareUnsigned(address + length, address) < 0) {
            return WRAPS;
        }
        return region.contains(address, length) ? OK : OUT_OF_BOUNDS;
    }
}
