// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import com.ibm.disni.verbs.RdmaProvider;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * The one place that reaches into DiSNI. {@code RdmaProvider.provider()} is hard-wired to libdisni unless its private
 * static field is set already, and every DiSNI object asks it in its constructor, so a provider has to be put there
 * before the first object is made. DiSNI is on the class path, or an automatic or open module.
 */
final class ProviderSlot {

    private ProviderSlot() {}

    /** The provider in the slot, or {@code null} while DiSNI has not chosen one. */
    @Nullable
    static RdmaProvider get() throws ReflectiveOperationException {
        return (RdmaProvider) field().get(null);
    }

    /** Makes {@code provider} the one that every DiSNI object of this JVM uses; {@code null} leaves it to the next. */
    static void set(@Nullable RdmaProvider provider) throws ReflectiveOperationException {
        field().set(null, provider);
    }

    private static Field field() throws ReflectiveOperationException {
        Field field = RdmaProvider.class.getDeclaredField("provider");
        field.setAccessible(true);
        return field;
    }
}
