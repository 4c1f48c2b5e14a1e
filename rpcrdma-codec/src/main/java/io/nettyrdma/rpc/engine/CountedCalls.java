// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

/** Counts calls in flight, and those of them that were given up, as the rules of all versions do. */
public abstract class CountedCalls implements CallCredits {

    private int inFlight; // including abandoned
    private int abandoned;

    @Override
    public final int inFlight() {
        return inFlight;
    }

    @Override
    public final int abandoned() {
        return abandoned;
    }

    @Override
    public final void onCalled() {
        inFlight++;
    }

    @Override
    public final void onAbandoned() {
        abandoned++;
    }

    @Override
    public final void onReturned(boolean wasAbandoned) {
        inFlight--;
        if (wasAbandoned) {
            abandoned--;
        }
    }

    @Override
    public int stall() {
        return 0;
    }

    @Override
    public boolean areStuck() {
        return abandoned != 0 && abandoned >= window();
    }

    @Override
    public final void onConnectionLost() {
        inFlight = 0;
        abandoned = 0;
    }
}
