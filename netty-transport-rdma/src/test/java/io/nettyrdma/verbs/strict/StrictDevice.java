// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.choice.RdmaProviders;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A software device that is as unhelpful as standards and real devices allow: every {@link Trait} alone or together,
 * its choices made by a seed. It stands between the channels and a software provider of its own, by objects that wrap
 * those of the provider, so that several devices of different traits may be used side by side.
 *
 * <p>The system property {@code strict.traits} chooses the traits of {@link #shared()} ({@link Trait#parse}), by
 * default all; {@code strict.seed} is its seed, a new one in each JVM by default.
 *
 * <p>Threading: any thread; its objects as {@link VerbsExtensions} says, but connecting, disconnecting and destroying
 * an id may be done by any thread, as with librdmacm.
 */
public final class StrictDevice {

    private static final int BRIEF_MILLIS = 20;

    private static final class Shared {
        static final StrictDevice DEVICE = new StrictDevice(
                Trait.parse(System.getProperty("strict.traits", "all")),
                Long.getLong("strict.seed", System.nanoTime()));
    }

    private final SoftProvider kind;
    private final Set<Trait> traits;
    private final StrictExtensions extensions;
    private final Calls calls;
    private final AtomicInteger handles = new AtomicInteger();
    private final int commandDescriptor;
    private final Map<RdmaCmId, StrictCmId> ids = new ConcurrentHashMap<>();
    private final Map<Integer, StrictMr> regions = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final long seed;
    private final AtomicInteger loops = new AtomicInteger();
    private @Nullable StrictContext context;

    private static final AtomicInteger DEVICES = new AtomicInteger(1000);

    /** A device over a provider of its own. */
    public StrictDevice(Set<Trait> traits, long seed) {
        this(new SoftProvider(config(traits, SoftProviderConfig.builder()).build()), traits, seed);
    }

    /**
     * A device over {@code kind}, of which two traits have to be asked for by {@link #config}: what becomes of a
     * message without a receive is the provider's.
     */
    public StrictDevice(SoftProvider kind, Set<Trait> traits, long seed) {
        try {
            RdmaProviders.get(); // the constructors of DiSNI's objects want one to be installed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.kind = kind;
        this.traits = Set.copyOf(traits);
        this.seed = seed;
        calls = new Calls(traits.contains(Trait.CALLS_HOLD));
        commandDescriptor = DEVICES.getAndIncrement();
        extensions = new StrictExtensions(this, kind.extensions());
    }

    /** The device of all tests that want no other. */
    public static StrictDevice shared() {
        return Shared.DEVICE;
    }

    /** Sets what a provider below a device of these traits has to do about missing receives. */
    public static SoftProviderConfig.Builder config(Set<Trait> traits, SoftProviderConfig.Builder builder) {
        if (traits.contains(Trait.RECEIVES_REQUIRED)) {
            return builder.receiverNotReadyTimeoutMillis(0);
        }
        return traits.contains(Trait.RECEIVES_AWAITED_BRIEFLY)
                ? builder.receiverNotReadyTimeoutMillis(BRIEF_MILLIS)
                : builder;
    }

    /** What channels use. */
    public VerbsExtensions extensions() {
        return extensions;
    }

    /** The traits it has. */
    public Set<Trait> traits() {
        return traits;
    }

    /** The seed of its choices. */
    public long seed() {
        return seed;
    }

    /** Whether it has a trait. */
    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** What makes its calls fail and wait. */
    public Calls calls() {
        return calls;
    }

    /** What is alive in the provider below. */
    public OpenResources openResources() {
        return kind.openResources();
    }

    /**
     * What programs did that a device does not notice, but that would have harmed them: each in a sentence.
     */
    public Collection<String> violations() {
        return violations;
    }

    /** Waits until nothing of it is left, and sees that nobody did what would have harmed. */
    public void checkNothingLeft() {
        NothingLeft.of(kind);
        if (!violations.isEmpty()) {
            throw new AssertionError(violations + "; " + this);
        }
    }

    /** Begins anew with its seed, for the next test. Nothing of it may be in use. */
    public void restart() {
        loops.set(0);
        violations.clear();
        calls.reset();
    }

    /** How to do the same again. */
    @Override
    public String toString() {
        return "-Dstrict.seed=" + seed + " -Dstrict.traits="
                + (traits.size() == Trait.values().length
                        ? "all"
                        : String.join(
                                ",", traits.stream().map(Trait::name).sorted().toList()));
    }

    /** A source of choices for the next loop. */
    Random random() {
        // By way of a better mixer: the first choices of Random are alike for seeds that are near each other.
        return new Random(new SplittableRandom(seed + loops.getAndIncrement()).nextLong());
    }

    void violation(String sentence) {
        violations.add(sentence);
    }

    int nextHandle() {
        return handles.incrementAndGet();
    }

    VerbsExtensions kind() {
        return kind.extensions();
    }

    Map<RdmaCmId, StrictCmId> ids() {
        return ids;
    }

    Map<Integer, StrictMr> regions() {
        return regions;
    }

    /** The context of an id. */
    synchronized StrictContext context(IbvContext below) throws IOException {
        if (has(Trait.CONTEXT_PER_ID)) {
            return new StrictContext(this, below, commandDescriptor);
        }
        StrictContext present = context;
        if (present == null) {
            present = context = new StrictContext(this, below, commandDescriptor);
        }
        return present;
    }
}
