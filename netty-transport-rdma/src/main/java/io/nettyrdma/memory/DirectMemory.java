// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import io.netty.util.internal.CleanableDirectBuffer;
import io.netty.util.internal.PlatformDependent;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Direct memory from Netty, not of the kind whose freeing stops other threads. Netty 4.2.7 has no such choice, and none
 * to make: there all memory is freed at once or by the collector.
 *
 * <p>Threading: any.
 */
final class DirectMemory {

    private static final @Nullable MethodHandle WITH_CHOICE = find();

    private DirectMemory() {}

    private static @Nullable MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findStatic(
                            PlatformDependent.class,
                            "allocateDirect",
                            MethodType.methodType(CleanableDirectBuffer.class, int.class, boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    /**
     * Returns the bytes that the JVM has left. It may have less, as Netty does not count all of it: on newer JDKs that
     * do not permit native access, not even these slabs.
     */
    static long leftBytes() {
        long used = Math.max(RegisteredSlab.allocatedBytes(), PlatformDependent.usedDirectMemory());
        return PlatformDependent.maxDirectMemory() - used;
    }

    /**
     * Memory that stays until it is {@linkplain CleanableDirectBuffer#clean cleaned}. If there is none left, the slabs
     * that are only kept make room.
     *
     * @throws OutOfMemoryError if there is none left, of {@code -XX:MaxDirectMemorySize} for example
     */
    static CleanableDirectBuffer allocate(int lengthBytes) {
        if (leftBytes() < lengthBytes) {
            KeptSlabs.free(); // now, because the JVM takes its time before it refuses
        }
        try {
            return allocateNow(lengthBytes);
        } catch (OutOfMemoryError e) {
            if (!KeptSlabs.free()) {
                throw e;
            }
            return allocateNow(lengthBytes);
        }
    }

    private static CleanableDirectBuffer allocateNow(int lengthBytes) {
        if (WITH_CHOICE == null) {
            return PlatformDependent.allocateDirect(lengthBytes);
        }
        try {
            return (CleanableDirectBuffer) WITH_CHOICE.invokeExact(lengthBytes, false);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("declares no checked exception", e);
        }
    }
}
