// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What happens to the octets of one direction of a TCP connection on their way through a {@link FaultRelay}. A plan has
 * no chance in it: everything is tied to the number of octets that were handed on before, so that a test which fails
 * fails again. Plans are values; each method returns the plan with one fault more, and {@link #and} joins two.
 *
 * <p>"At octet n" means: n octets are handed on unharmed, and octet n, counted from 0, is the first that is concerned.
 * Faults at the same octet happen in the order in which they were added.
 */
public final class FaultPlan {

    enum Kind {
        CORRUPT,
        HOLD,
        STALL,
        CLOSE,
        RESET
    }

    record Fault(long octet, Kind kind, int mask) {}

    private static final FaultPlan NONE = new FaultPlan(List.of(), Integer.MAX_VALUE, false, false);

    private final List<Fault> faults;
    private final int segmentOctets;
    private final boolean finDropped;
    private final boolean recorded;

    private FaultPlan(List<Fault> faults, int segmentOctets, boolean finDropped, boolean recorded) {
        this.faults = faults;
        this.segmentOctets = segmentOctets;
        this.finDropped = finDropped;
        this.recorded = recorded;
    }

    /** Hands on everything as it comes. */
    public static FaultPlan none() {
        return NONE;
    }

    /** Inverts octet {@code octet}. */
    public FaultPlan corruptAt(long octet) {
        return corruptAt(octet, 0xff);
    }

    /** Inverts those bits of octet {@code octet} that are set in {@code mask}. */
    public FaultPlan corruptAt(long octet, int mask) {
        return with(new Fault(octet, Kind.CORRUPT, mask));
    }

    /** Hands nothing on from octet {@code octet} until {@link FaultRelay#release} is called; reads no more either. */
    public FaultPlan holdAt(long octet) {
        return with(new Fault(octet, Kind.HOLD, 0));
    }

    /** Hands nothing on from octet {@code octet}, for ever, and reads no more, so that the sender's TCP fills up. */
    public FaultPlan stallAt(long octet) {
        return with(new Fault(octet, Kind.STALL, 0));
    }

    /** Ends both directions with a FIN once {@code octet} octets are handed on; what still comes is swallowed. */
    public FaultPlan closeAt(long octet) {
        return with(new Fault(octet, Kind.CLOSE, 0));
    }

    /** Resets both sides once {@code octet} octets are handed on. */
    public FaultPlan resetAt(long octet) {
        return with(new Fault(octet, Kind.RESET, 0));
    }

    /** Hands octets on in pieces of at most {@code octets}, each a write of its own. */
    public FaultPlan segmentsOf(int octets) {
        if (octets < 1) {
            throw new IllegalArgumentException("segmentsOf: " + octets + " (expected: > 0)");
        }
        return new FaultPlan(faults, Math.min(segmentOctets, octets), finDropped, recorded);
    }

    /** Does not hand on the sender's FIN. */
    public FaultPlan withoutFin() {
        return new FaultPlan(faults, segmentOctets, true, recorded);
    }

    /** Keeps what is handed on. */
    public FaultPlan recorded() {
        return new FaultPlan(faults, segmentOctets, finDropped, true);
    }

    /** Both plans at once. */
    public FaultPlan and(FaultPlan other) {
        FaultPlan both = new FaultPlan(
                faults,
                Math.min(segmentOctets, other.segmentOctets),
                finDropped || other.finDropped,
                recorded || other.recorded);
        for (Fault f : other.faults) {
            both = both.with(f);
        }
        return both;
    }

    private FaultPlan with(Fault fault) {
        if (fault.octet() < 0) {
            throw new IllegalArgumentException("octet: " + fault.octet() + " (expected: >= 0)");
        }
        List<Fault> more = new ArrayList<>(faults);
        more.add(fault);
        // Stable, so that the order of adding decides between faults at the same octet.
        more.sort(Comparator.comparingLong(Fault::octet));
        return new FaultPlan(List.copyOf(more), segmentOctets, finDropped, recorded);
    }

    List<Fault> faults() {
        return faults;
    }

    int segmentOctets() {
        return segmentOctets;
    }

    boolean isFinDropped() {
        return finDropped;
    }

    boolean isRecorded() {
        return recorded;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Fault f : faults) {
            text.append(f.kind()).append(" at ").append(f.octet()).append(", ");
        }
        if (segmentOctets != Integer.MAX_VALUE) {
            text.append("segments of ").append(segmentOctets).append(", ");
        }
        if (finDropped) {
            text.append("no FIN, ");
        }
        return text.isEmpty() ? "none" : text.substring(0, text.length() - 2);
    }
}
