// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.leaks;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.nettyrdma.deadline.Deadline;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Netty's leak detector, which in addition to its log keeps what it has found.
 *
 * <p>Threading: any.
 */
final class LeakRecorder<T> extends ResourceLeakDetector<T> {

    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();
    private static final List<LeakRecorder<?>> RECORDERS = new CopyOnWriteArrayList<>();

    private LeakRecorder(Class<?> resource, int samplingInterval) {
        super(resource, samplingInterval);
        RECORDERS.add(this);
    }

    /** Makes Netty use this class for detectors made from now on. */
    static void install() {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ResourceLeakDetectorFactory() {
            @Override
            @SuppressWarnings("deprecation") // the abstract one
            public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                    Class<T> resource, int samplingInterval, long maxActive) {
                return new LeakRecorder<>(resource, samplingInterval);
            }
        });
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        LEAKS.add(resourceType + records);
        super.reportTracedLeak(resourceType, records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        LEAKS.add(resourceType);
        super.reportUntracedLeak(resourceType);
    }

    /**
     * Collects garbage and returns the leaks found since the last call. The JVM enqueues collected objects one after
     * the other, so a leak may be found by the next call only.
     */
    static List<String> takeLeaks() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> canary = new WeakReference<>(new Object(), collected);
        System.gc();
        if (collected.remove(Deadline.MILLIS) != canary) {
            throw new AssertionError("no garbage was collected within " + Deadline.MILLIS + " ms");
        }
        for (LeakRecorder<?> recorder : RECORDERS) {
            recorder.reportNow();
        }
        List<String> found = new ArrayList<>();
        for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
            found.add(leak);
        }
        return found;
    }

    /** A detector reports when it is given something to track, whatever share of the buffers it looks at. */
    @SuppressWarnings("unchecked")
    private void reportNow() {
        T tracked = (T) new Object();
        trackForcibly(tracked).close(tracked);
    }
}
