// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static java.lang.invoke.MethodType.methodType;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** With functions of the C library, which need no device. */
class ForeignTest {

    private static final Class<?> INT = int.class;

    @Test
    void oldJavaIsRefusedByName() {
        assertThat(Foreign.whyNot(21, "21.0.5")).isEqualTo("it needs Java 22 or newer, but this is 21.0.5");
    }

    @Test
    @EnabledForJreRange(maxVersion = 21)
    void oldJavaHasNoForeignFunctions() {
        assertThat(Foreign.whyNot()).startsWith("it needs Java 22 or newer, but this is ");
        assertThatThrownBy(Foreign::get)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("it needs Java 22");
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void errorNumberIsThatOfTheCallingThread() throws Throwable {
        Foreign foreign = Foreign.get();
        MethodHandle close = foreign.function(foreign.systemLibrary(), "close", methodType(INT, INT));
        MethodHandle getpid = foreign.function(foreign.systemLibrary(), "getpid", methodType(INT));
        assertThat((int) getpid.invokeExact())
                .isEqualTo((int) ProcessHandle.current().pid());
        assertThat((int) close.invokeExact(-1)).isEqualTo(-1);
        FutureTask<Integer> other = new FutureTask<>(foreign::errno);
        Thread thread = new Thread(other);
        thread.start();
        assertThat(other.get()).isZero();
        assertThat(foreign.errno()).as("EBADF").isEqualTo(9);
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void memoryIsSharedWithC() throws Throwable {
        Foreign foreign = Foreign.get();
        ByteBuffer text = Foreign.allocate(8);
        text.put(0, new byte[] {'a', 'b', 'c'});
        MethodHandle strlen = foreign.function(foreign.systemLibrary(), "strlen", methodType(long.class, long.class));
        assertThat((long) strlen.invokeExact(foreign.address(text))).isEqualTo(3);
        assertThat(foreign.at(foreign.address(text), 3).get(2)).isEqualTo((byte) 'c');
    }

    @Test
    @EnabledForJreRange(minVersion = 22)
    void missingLibraryAndMissingFunctionAreNamed() {
        Foreign foreign = Foreign.get();
        assertThatThrownBy(() -> foreign.library("libnowhere.so.7")).hasMessageContaining("libnowhere.so.7");
        assertThatThrownBy(() -> foreign.function(foreign.systemLibrary(), "no_such_function", methodType(INT)))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("no_such_function");
    }
}
