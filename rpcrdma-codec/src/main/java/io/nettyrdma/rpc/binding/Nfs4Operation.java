// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

/**
 * What a binding has to know of one operation of NFS version 4.
 *
 * @param arguments behind the operation number
 * @param result    behind the operation number
 * @param counted   what the arguments add to the longest result
 * @param reducible whether the result has data that may be reduced, which is all that the arguments add
 */
record Nfs4Operation(XdrType arguments, XdrType result, Counted counted, boolean reducible) {

    /** What arguments add to the longest result. */
    @FunctionalInterface
    interface Counted {
        Counted NOTHING = arguments -> 0;

        /** Octets, {@link XdrType#UNBOUNDED} or more if it cannot be told; the cursor is at the arguments. */
        long bytes(XdrCursor arguments);
    }

    /** The arguments add nothing. */
    static Nfs4Operation of(XdrType arguments, XdrType result) {
        return new Nfs4Operation(arguments, result, Counted.NOTHING, false);
    }

    /** The arguments say how long the result can get, beyond what its type has when everything counted is empty. */
    Nfs4Operation adding(Counted counted) {
        return new Nfs4Operation(arguments, result, counted, false);
    }

    /** The result has data that may be reduced; this tells how long it can get. */
    Nfs4Operation reducible(Counted counted) {
        return new Nfs4Operation(arguments, result, counted, true);
    }
}
