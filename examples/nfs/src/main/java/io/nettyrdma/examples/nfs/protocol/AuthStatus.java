// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

/** Why a call was not let in: {@code auth_stat} (RFC 5531, section 9), in the order of the numbers. */
public enum AuthStatus {
    /** It was. */
    AUTH_OK,
    /** Credential that makes no sense. */
    AUTH_BADCRED,
    /** Credential that is not valid any more. */
    AUTH_REJECTEDCRED,
    /** Verifier that makes no sense. */
    AUTH_BADVERF,
    /** Verifier that is not valid any more. */
    AUTH_REJECTEDVERF,
    /** Flavor that says too little. */
    AUTH_TOOWEAK,
    /** Verifier of the reply that makes no sense. */
    AUTH_INVALIDRESP,
    /** Anything else. */
    AUTH_FAILED;

    private static final AuthStatus[] ALL = values();

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }

    /** The name of a number, or the number where there is none. */
    public static String name(int number) {
        return number >= 0 && number < ALL.length ? ALL[number].name() : "auth_stat " + number;
    }
}
