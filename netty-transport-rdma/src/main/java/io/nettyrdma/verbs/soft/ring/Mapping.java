// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import static java.lang.invoke.MethodType.methodType;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import org.jspecify.annotations.Nullable;

/**
 * A file in memory, which goes back when it is closed and not when the garbage collector comes by. Java can do that
 * since Java 22, by an {@code Arena}, which is reached by reflection because this library is compiled for Java 17.
 * Before, Netty frees the buffer as it frees its own.
 *
 * <p>Threading: any; {@link #close} once, when no thread touches the buffer any more.
 */
final class Mapping {

    private static final @Nullable Arenas ARENAS = Arenas.ofThisJava();

    final ByteBuffer octets;
    private final @Nullable Object arena;

    private Mapping(ByteBuffer octets, @Nullable Object arena) {
        this.octets = octets;
        this.arena = arena;
    }

    /** Maps the first octets of a file, to be read and written. */
    static Mapping of(FileChannel file, int bytes) throws IOException {
        if (ARENAS == null) {
            return new Mapping(file.map(MapMode.READ_WRITE, 0, bytes), null);
        }
        Object arena = ARENAS.open();
        try {
            return new Mapping(ARENAS.map(file, bytes, arena), arena);
        } catch (Throwable e) {
            ARENAS.close(arena);
            throw e;
        }
    }

    @SuppressWarnings("deprecation") // what replaces it frees only what Netty has allocated
    void close() {
        if (ARENAS != null) {
            ARENAS.close(arena);
        } else {
            PlatformDependent.freeDirectBuffer(octets);
        }
    }

    /** The methods of {@code java.lang.foreign} that this takes. */
    private record Arenas(MethodHandle ofShared, MethodHandle map, MethodHandle asByteBuffer, MethodHandle end) {

        static @Nullable Arenas ofThisJava() {
            try {
                Lookup lookup = MethodHandles.lookup();
                Class<?> arena = Class.forName("java.lang.foreign.Arena");
                Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                return new Arenas(
                        lookup.findStatic(arena, "ofShared", methodType(arena)),
                        lookup.findVirtual(
                                FileChannel.class,
                                "map",
                                methodType(segment, MapMode.class, long.class, long.class, arena)),
                        lookup.findVirtual(segment, "asByteBuffer", methodType(ByteBuffer.class)),
                        lookup.findVirtual(arena, "close", methodType(void.class)));
            } catch (ReflectiveOperationException | RuntimeException e) {
                return null; // Java before 22
            }
        }

        Object open() throws IOException {
            return invoke(ofShared);
        }

        ByteBuffer map(FileChannel file, int bytes, Object arena) throws IOException {
            return (ByteBuffer) invoke(asByteBuffer, invoke(map, file, MapMode.READ_WRITE, 0L, (long) bytes, arena));
        }

        void close(@Nullable Object arena) {
            try {
                end.invoke(arena);
            } catch (Throwable e) {
                throw new IllegalStateException("memory of a file is in use", e);
            }
        }

        private static Object invoke(MethodHandle method, Object... arguments) throws IOException {
            try {
                return method.invokeWithArguments(arguments);
            } catch (IOException | RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IOException(e);
            }
        }
    }
}
