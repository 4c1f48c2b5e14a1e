// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The places of a listener, and the choice of the one that a new connection gets when all are taken. While there is
 * room, one address may have all of them.
 *
 * <p>A place is never taken away while its connection is busy: it has a call in flight, and its peer does not lag in
 * taking replies ({@link ReplyProgress}) by {@value Place#PATIENCE_SECONDS} s. A call is in flight once the whole call
 * has arrived. Until then, for example while the server pulls a long one, the connection is idle since its last
 * message, and has never called if that is its first call. Of the others, connections that have never sent a call go
 * first, the oldest before the others, then those whose peers lag, then those that have been idle longest. The share
 * of an address is the number of places divided by the number of addresses, that of the new connection included. In
 * all groups the connections of addresses with more than their share go first. A new connection that is beyond the
 * share of its own address takes places of that address only, or of a connection whose peer lags or has been silent
 * for {@value Place#PATIENCE_SECONDS} s since it came.
 *
 * <p>If memory does not suffice for a new connection, there are only as many places as it did suffice for, less one:
 * when a place is taken away, its memory is free a little later than the next connection needs some. All places are
 * there again when half of those are free.
 *
 * <p>Threading: any thread. The lock guards the set, since connections come on the listener's event loop and end on
 * their own.
 */
final class Places {

    private final int most;
    private final Consumer<Place> onTakenAway;
    private final Set<Place> taken = new LinkedHashSet<>();
    /** As far as memory goes. */
    private int count;

    /**
     * Places that are free.
     *
     * @param most        positive
     * @param onTakenAway closes the connection of a place that goes to another one
     */
    Places(int most, Consumer<Place> onTakenAway) {
        this.most = most;
        count = most;
        this.onTakenAway = onTakenAway;
    }

    /** Gives a new connection a place. Returns false if it gets none. */
    synchronized boolean enter(Place newcomer) {
        if (taken.size() >= count) {
            // Connections that end before they have an event loop do not leave.
            taken.removeIf(place -> !place.connection().isOpen());
        }
        return (taken.size() < count || makeRoom(newcomer)) && taken.add(newcomer);
    }

    synchronized void leave(Place place) {
        taken.remove(place);
        if (taken.size() <= count / 2) {
            count = most;
        }
    }

    /** Memory does not suffice for a connection that got a place: another one ends for the next one. */
    synchronized void onNoMemory(Place newcomer) {
        if (taken.remove(newcomer) && !taken.isEmpty()) {
            count = Math.max(1, taken.size() - 1);
            makeRoom(newcomer);
        }
    }

    /** Places that there are, fewer than wanted while memory is short. */
    synchronized int count() {
        return count;
    }

    private boolean makeRoom(Place newcomer) {
        Map<Object, Integer> counts = new HashMap<>();
        counts.put(newcomer.site(), 1);
        taken.forEach(place -> counts.merge(place.site(), 1, Integer::sum));
        int share = Math.max(1, count / counts.size());
        boolean withinShare = counts.getOrDefault(newcomer.site(), 1) <= share;
        Comparator<Place> order = Comparator.comparing(Place::hasCalled)
                .thenComparing(place -> counts.getOrDefault(place.site(), 0) <= share)
                .thenComparing(place -> !place.isLagging())
                .thenComparing((one, other) -> Long.signum(one.idleSince() - other.idleSince()));
        for (int i = taken.size(); i > 0; i--) {
            Place candidate = taken.stream()
                    .filter(place -> !place.isBusy())
                    .filter(place -> withinShare
                            || place.site().equals(newcomer.site())
                            || place.isLagging()
                            || place.isSilent())
                    .min(order)
                    .orElse(null);
            if (candidate == null) {
                return false;
            }
            if (candidate.tryTakeAway()) { // unless a call has just arrived
                taken.remove(candidate);
                onTakenAway.accept(candidate);
                return true;
            }
        }
        return false;
    }
}
