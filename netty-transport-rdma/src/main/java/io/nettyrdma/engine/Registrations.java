// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.RdmaCmId;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.error.RdmaDeviceException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one event loop, by the number that their completions carry and by the ids whose events they get.
 *
 * <p>Threading: the loop's.
 */
final class Registrations {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Registrations.class);

    private final IntObjectMap<RdmaRegistration> numbered = new IntObjectHashMap<>();
    private final Map<RdmaCmId, RdmaRegistration> watching = new IdentityHashMap<>();
    private int lastId;

    RdmaRegistration add(IoLoop handler, RdmaIoHandle handle) {
        int number = nextNumber();
        RdmaRegistration registration = new RdmaRegistration(handler, handle, number);
        numbered.put(number, registration);
        return registration;
    }

    int nextNumber() {
        do {
            lastId++; // wraps; a number is free again when its last completion is in
        } while (numbered.containsKey(lastId));
        return lastId;
    }

    /** Whether a registration has had that number, as far as can be told from the latest numbers. */
    boolean wasIssued(int number) {
        return lastId - number >= 0;
    }

    @Nullable
    RdmaRegistration get(int id) {
        return numbered.get(id);
    }

    boolean isEmpty() {
        return numbered.isEmpty();
    }

    int size() {
        return numbered.size();
    }

    void watch(RdmaCmId id, RdmaRegistration registration) {
        watching.put(id, registration);
    }

    void unwatch(RdmaCmId id) {
        watching.remove(id);
    }

    /** Returns the registration that gets the events of {@code id}. */
    @Nullable
    RdmaRegistration watcher(RdmaCmId id) {
        return watching.get(id);
    }

    /** Takes a cancelled registration out if no completion is owed to it any more. */
    void removeIfDone(RdmaRegistration registration) {
        if (!registration.isValid() && !registration.handle().hasOutstanding()) {
            remove(registration);
        }
    }

    /** Takes a registration out, whatever is outstanding. */
    void remove(RdmaRegistration registration) {
        if (numbered.remove(registration.id()) != null) {
            registration.handle().unregistered();
        }
    }

    boolean anyOutstanding() {
        for (RdmaRegistration registration : numbered.values()) {
            if (registration.handle().hasOutstanding()) {
                return true;
            }
        }
        return false;
    }

    /** Whether bytes whose promise has succeeded are not sent. */
    boolean anyUnsent() {
        for (RdmaRegistration registration : numbered.values()) {
            QueuePair pair = registration.queuePair();
            if (pair != null && pair.mayPost() && pair.unsentBytes() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Adds all channels to a sample of their loop. */
    void addTo(LoopSample sample) {
        for (RdmaRegistration registration : numbered.values()) {
            registration.handle().addTo(sample);
        }
    }

    /** Returns a number that changes with each completed request and, if the provider counts them, moved bytes. */
    long moved() {
        long moved = 0;
        for (RdmaRegistration registration : numbered.values()) {
            QueuePair pair = registration.queuePair();
            moved += pair == null ? 0 : pair.moved();
        }
        return moved;
    }

    /** A copy, for calls that may change the registrations. */
    List<RdmaRegistration> all() {
        return new ArrayList<>(numbered.values());
    }

    void closeAll() {
        forEach(registration -> registration.handle().close());
    }

    /** Gives up the posted requests of closed channels. */
    void flushAll() {
        forEach(registration -> registration.handle().flush());
    }

    /** Closes channels because of {@code cause} and ends their registrations: no completion will come any more. */
    void fail(Predicate<RdmaIoHandle> which, RdmaDeviceException cause) {
        forEach(registration -> {
            if (which.test(registration.handle())) {
                try {
                    registration.handle().fail(cause);
                } finally {
                    registration.end();
                }
            }
        });
    }

    /** Runs the action for each, even if it fails for one. */
    private void forEach(Consumer<RdmaRegistration> action) {
        for (RdmaRegistration registration : all()) {
            try {
                action.accept(registration);
            } catch (Throwable e) {
                logger.error("failed to close {}", registration.handle(), e);
            }
        }
    }
}
