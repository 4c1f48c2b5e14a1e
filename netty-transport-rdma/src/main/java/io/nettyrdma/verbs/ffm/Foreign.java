// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Functions and memory of C. The only class that knows {@code java.lang.foreign}, which came with Java 22: it is
 * reached by reflection, so that this library is compiled for Java 17. What it gives are ordinary method handles, whose
 * parameters are {@code long}, {@code int}, {@code short} and {@code byte}; pointers are {@code long}. Handles cost no
 * reflection when they are called, and nothing is allocated then.
 *
 * <p>Memory that C keeps or writes has to be held by a field of a live object for as long as C may touch it: behind an
 * address nothing else keeps a direct buffer.
 *
 * <p>Threading: any; what {@link #errno} says is of the calling thread.
 */
final class Foreign {

    /** The first Java with {@code java.lang.foreign}. */
    static final int OLDEST_JAVA = 22;

    private static final String API = "java.lang.foreign.";

    /** The first try, whose outcome stays. */
    private static final class Holder {
        static final @Nullable Foreign FOREIGN;
        static final @Nullable Throwable DEFECT;

        static {
            Foreign made = null;
            Throwable defect = null;
            try {
                made = new Foreign();
            } catch (Throwable e) {
                defect = e;
            }
            FOREIGN = made;
            DEFECT = defect;
        }
    }

    /** Where C leaves {@code errno} for one thread. */
    private final class ErrnoCapture {
        final ByteBuffer octets = allocate((int) captureBytes);
        final Object segment = invoke(segmentOfBuffer, octets);
    }

    private final Class<?> layoutType = type("MemoryLayout");
    private final Class<?> optionType = type("Linker$Option");
    private final Map<Class<?>, Object> layouts;
    private final Object globalArena;
    private final Object defaultLookup;
    private final Object captureErrno;
    private final MethodHandle firstVariadic;
    private final Object critical;
    private final long captureBytes;
    private final int errnoOffset;
    private final MethodHandle libraryLookup;
    private final MethodHandle find;
    private final MethodHandle addressOf;
    private final MethodHandle segmentOfAddress;
    private final MethodHandle segmentOfBuffer;
    private final MethodHandle bufferAt;
    private final MethodHandle descriptor;
    private final MethodHandle descriptorOfVoid;
    private final MethodHandle downcall;
    private final MethodHandle unboundDowncall;
    private final MethodHandle captureSegment;
    private final ThreadLocal<ErrnoCapture> captures = ThreadLocal.withInitial(ErrnoCapture::new);

    private Foreign() throws Throwable {
        Lookup lookup = MethodHandles.lookup();
        Class<?> arena = type("Arena");
        Class<?> function = type("FunctionDescriptor");
        Class<?> linkerType = type("Linker");
        Class<?> segment = type("MemorySegment");
        Class<?> symbols = type("SymbolLookup");
        Class<?> layoutArray = Array.newInstance(layoutType, 0).getClass();
        Class<?> optionArray = Array.newInstance(optionType, 0).getClass();

        layouts = Map.of(
                long.class, valueLayout("JAVA_LONG"),
                int.class, valueLayout("JAVA_INT"),
                short.class, valueLayout("JAVA_SHORT"),
                byte.class, valueLayout("JAVA_BYTE"));
        globalArena = lookup.findStatic(arena, "global", methodType(arena)).invoke();
        Object linker = lookup.findStatic(linkerType, "nativeLinker", methodType(linkerType))
                .invoke();
        defaultLookup = lookup.findVirtual(linkerType, "defaultLookup", methodType(symbols))
                .invoke(linker);
        libraryLookup = lookup.findStatic(symbols, "libraryLookup", methodType(symbols, String.class, arena));
        find = lookup.findVirtual(symbols, "find", methodType(Optional.class, String.class));
        addressOf = lookup.findVirtual(segment, "address", methodType(long.class));
        segmentOfAddress = lookup.findStatic(segment, "ofAddress", methodType(segment, long.class));
        segmentOfBuffer = lookup.findStatic(segment, "ofBuffer", methodType(segment, Buffer.class));
        MethodHandle reinterpret = lookup.findVirtual(segment, "reinterpret", methodType(segment, long.class));
        MethodHandle asByteBuffer = lookup.findVirtual(segment, "asByteBuffer", methodType(ByteBuffer.class));
        bufferAt = MethodHandles.filterReturnValue(
                MethodHandles.filterArguments(reinterpret, 0, segmentOfAddress), asByteBuffer);
        descriptor = lookup.findStatic(function, "of", methodType(function, layoutType, layoutArray))
                .asFixedArity();
        descriptorOfVoid = lookup.findStatic(function, "ofVoid", methodType(function, layoutArray))
                .asFixedArity();
        downcall = lookup.findVirtual(
                        linkerType, "downcallHandle", methodType(MethodHandle.class, segment, function, optionArray))
                .bindTo(linker)
                .asFixedArity();
        unboundDowncall = lookup.findVirtual(
                        linkerType, "downcallHandle", methodType(MethodHandle.class, function, optionArray))
                .bindTo(linker)
                .asFixedArity();
        captureErrno = lookup.findStatic(optionType, "captureCallState", methodType(optionType, String[].class))
                .asFixedArity()
                .invoke(new String[] {"errno"});
        firstVariadic = lookup.findStatic(optionType, "firstVariadicArg", methodType(optionType, int.class));
        critical = lookup.findStatic(optionType, "critical", methodType(optionType, boolean.class))
                .invoke(false);
        Class<?> structType = type("StructLayout");
        Object state = lookup.findStatic(optionType, "captureStateLayout", methodType(structType))
                .invoke();
        captureBytes = (long) lookup.findVirtual(layoutType, "byteSize", methodType(long.class))
                .invoke(state);
        errnoOffset = errnoOffset(lookup, state);
        captureSegment =
                lookup.bind(this, "captureSegment", methodType(Object.class)).asType(methodType(segment));
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(API + name);
    }

    private static Object valueLayout(String name) throws ReflectiveOperationException {
        return type("ValueLayout").getField(name).get(null);
    }

    private int errnoOffset(Lookup lookup, Object state) throws Throwable {
        Class<?> element = type("MemoryLayout$PathElement");
        Object path = Array.newInstance(element, 1);
        Array.set(
                path,
                0,
                lookup.findStatic(element, "groupElement", methodType(element, String.class))
                        .invoke("errno"));
        return (int) (long) lookup.findVirtual(layoutType, "byteOffset", methodType(long.class, path.getClass()))
                .asFixedArity()
                .invoke(state, path);
    }

    /**
     * Why functions of C cannot be called in this JVM, as a sentence that says what to do, or {@code null}. Loads
     * nothing that makes the JVM warn of native access, and so does not tell whether that is denied: the first library
     * that is loaded does.
     */
    static @Nullable String whyNot() {
        return whyNot(Runtime.version().feature(), Runtime.version().toString());
    }

    static @Nullable String whyNot(int feature, String version) {
        if (feature < OLDEST_JAVA) {
            return "it needs Java " + OLDEST_JAVA + " or newer, but this is " + version;
        }
        Throwable defect = Holder.DEFECT;
        return defect == null ? null : "java.lang.foreign cannot be used (" + defect + ')';
    }

    /** What native access is granted to. */
    static String moduleName() {
        Module module = Foreign.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    /** @throws IllegalStateException if there is a reason not to, see {@link #whyNot()} */
    static Foreign get() {
        Foreign foreign = Holder.FOREIGN;
        if (foreign == null) {
            throw new IllegalStateException(whyNot(), Holder.DEFECT);
        }
        return foreign;
    }

    private static Object invoke(MethodHandle handle, Object... arguments) {
        try {
            return handle.invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Called by each function that tells an {@code errno}. */
    private Object captureSegment() {
        return captures.get().segment;
    }

    /** What the last {@link #function} that this thread has called left in {@code errno}. */
    int errno() {
        return captures.get().octets.getInt(errnoOffset);
    }

    /**
     * Loads a library, for as long as the JVM lives.
     *
     * @param soname such as {@code libibverbs.so.1}
     * @return what {@link #function} looks functions up in
     * @throws IllegalArgumentException if it is not there
     * @throws IllegalCallerException   if native access is denied
     */
    Object library(String soname) {
        return invoke(libraryLookup, soname, globalArena);
    }

    /** The C library and what else is always there. */
    Object systemLibrary() {
        return defaultLookup;
    }

    /**
     * An exported function, after which {@link #errno} is valid.
     *
     * @throws UnsatisfiedLinkError if the library does not have it
     */
    MethodHandle function(Object library, String name, MethodType type) {
        return function(library, name, type, options(captureErrno));
    }

    /** As {@link #function}, of a function that C declares with an ellipsis behind {@code fixed} parameters. */
    MethodHandle variadic(Object library, String name, MethodType type, int fixed) {
        return function(library, name, type, options(captureErrno, invoke(firstVariadic, fixed)));
    }

    private MethodHandle function(Object library, String name, MethodType type, Object options) {
        Optional<?> symbol = (Optional<?>) invoke(find, library, name);
        Object address = symbol.orElseThrow(() -> new UnsatisfiedLinkError("no function " + name));
        MethodHandle handle = (MethodHandle) invoke(downcall, address, descriptor(type), options);
        return MethodHandles.foldArguments(handle, captureSegment);
    }

    /**
     * A function behind a pointer, which is the first parameter, a {@code long}, in front of those of {@code type}. It
     * tells no {@code errno}.
     *
     * @param critical whether calls are so short that the JVM may wait for them to end before it can do anything that
     *                 needs all threads
     */
    MethodHandle pointer(MethodType type, boolean critical) {
        Object options = critical ? options(this.critical) : options();
        MethodHandle handle = (MethodHandle) invoke(unboundDowncall, descriptor(type), options);
        return MethodHandles.filterArguments(handle, 0, segmentOfAddress);
    }

    private Object descriptor(MethodType type) {
        Object parameters = Array.newInstance(layoutType, type.parameterCount());
        for (int i = 0; i < type.parameterCount(); i++) {
            Array.set(parameters, i, layout(type.parameterType(i)));
        }
        return type.returnType() == void.class
                ? invoke(descriptorOfVoid, parameters)
                : invoke(descriptor, layout(type.returnType()), parameters);
    }

    private Object layout(Class<?> type) {
        return Objects.requireNonNull(layouts.get(type), type::getName);
    }

    private Object options(Object... options) {
        Object array = Array.newInstance(optionType, options.length);
        for (int i = 0; i < options.length; i++) {
            Array.set(array, i, options[i]);
        }
        return array;
    }

    /** Memory that C owns, in native order; valid for as long as C says. */
    ByteBuffer at(long address, long bytes) {
        try {
            return ((ByteBuffer) bufferAt.invokeExact(address, bytes)).order(ByteOrder.nativeOrder());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // declares none
        }
    }

    /** The address of octet 0 of a direct buffer. */
    long address(ByteBuffer direct) {
        return (long)
                invoke(addressOf, invoke(segmentOfBuffer, direct.duplicate().clear()));
    }

    /** Memory for C, zeroed and in native order; the buffer keeps it alive. */
    static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }
}
