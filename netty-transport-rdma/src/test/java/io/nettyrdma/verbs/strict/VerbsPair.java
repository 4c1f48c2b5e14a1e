// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Both ends of a connection over one strict device, driven by the thread that asks. */
final class VerbsPair implements AutoCloseable {

    /** What a test waits for. */
    interface Condition {
        boolean holds() throws IOException;
    }

    /** Entries of the completion queues. */
    int depth = 64;

    final StrictDevice device;
    final VerbsEnd listener;
    final VerbsEnd active;
    final VerbsEnd passive;
    private RdmaCmId listenId;

    VerbsPair(Set<Trait> traits, long seed) throws Exception {
        device = new StrictDevice(traits, seed);
        listener = new VerbsEnd(device);
        active = new VerbsEnd(device);
        passive = listener; // the requested id stays where it came
    }

    static VerbsPair connected(long seed, Trait... traits) throws Exception {
        VerbsPair pair = new VerbsPair(Set.of(traits), seed);
        pair.request(new byte[0]);
        pair.accept(new byte[0]);
        pair.until(
                () -> pair.active.hasSeen("RDMA_CM_EVENT_ESTABLISHED")
                        && pair.passive.hasSeen("RDMA_CM_EVENT_ESTABLISHED"),
                "both ends are established");
        pair.active.seen.clear();
        pair.passive.seen.clear();
        return pair;
    }

    /** Asks for a connection, which the listener sees. */
    void request(byte[] privateData) throws Exception {
        listenId = listener.id;
        active.id.resolveAddr(null, listener.listen(), Deadline.MILLIS);
        until(() -> active.hasSeen("RDMA_CM_EVENT_ADDR_RESOLVED"), "address resolved");
        active.id.resolveRoute(Deadline.MILLIS);
        until(() -> active.hasSeen("RDMA_CM_EVENT_ROUTE_RESOLVED"), "route resolved");
        active.prepare(active.id, depth);
        active.id.connect(new ConnectionParameters(privateData, 4, 4));
        until(() -> listener.requested != null, "connection requested");
    }

    void accept(byte[] privateData) throws Exception {
        passive.prepare(listener.requested, depth);
        passive.id.accept(new ConnectionParameters(privateData, 4, 4));
    }

    /** Lets both ends work. */
    void step() throws IOException {
        active.step();
        listener.step();
    }

    void until(Condition condition, String what) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + Deadline.SECONDS + " s: " + what + "; active saw "
                        + active.seen + ", passive " + passive.seen + "; " + device);
            }
            step();
        }
    }

    /** Takes everything apart, and sees that nothing is left. */
    @Override
    public void close() throws IOException {
        active.end();
        if (listenId != null && listenId != listener.id) {
            listenId.destroyId();
        }
        listener.end();
        active.close();
        listener.close();
        assertThat(device.openResources()).isEqualTo(OpenResources.NONE);
    }
}
