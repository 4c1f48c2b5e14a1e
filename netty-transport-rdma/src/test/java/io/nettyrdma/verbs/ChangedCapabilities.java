// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs;

import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A provider that says of itself other than it is, for tests of what depends on that. */
public final class ChangedCapabilities {

    private ChangedCapabilities() {}

    /** A copy in which some capabilities, by their names, are others. */
    public static RdmaCapabilities of(RdmaCapabilities original, Map<String, Object> changed) {
        RdmaCapabilities.Builder builder = RdmaCapabilities.builder();
        List<String> missing = new ArrayList<>(changed.keySet());
        for (Method setter : RdmaCapabilities.Builder.class.getDeclaredMethods()) {
            if (setter.getParameterCount() == 1) {
                String name = setter.getName();
                try {
                    setter.invoke(
                            builder,
                            missing.remove(name)
                                    ? changed.get(name)
                                    : RdmaCapabilities.class.getMethod(name).invoke(original));
                } catch (ReflectiveOperationException e) {
                    throw new LinkageError(setter.toString(), e);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("no capabilities: " + missing);
        }
        return builder.build();
    }

    /** The same provider, which says these capabilities of itself and of every device. */
    public static VerbsExtensions over(VerbsExtensions kind, Map<String, Object> changed) {
        return saying(kind, changed, method -> method.getName().equals("capabilities"));
    }

    /** The same provider, which says these capabilities of what is common to its devices, but not of the devices. */
    public static VerbsExtensions beforeDevices(VerbsExtensions kind, Map<String, Object> changed) {
        return saying(
                kind, changed, method -> method.getName().equals("capabilities") && method.getParameterCount() == 0);
    }

    private static VerbsExtensions saying(VerbsExtensions kind, Map<String, Object> changed, Predicate<Method> says) {
        return InterceptedVerbs.before(
                kind,
                (method, arguments, real) ->
                        says.test(method) ? of((RdmaCapabilities) real.make(), changed) : real.make());
    }
}
