/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.function.Predicate;

/** A provider that says of itself other than it is, for tests of what depends on that. */
public final class ChangedCapabilities {

    private ChangedCapabilities() {}

    /** A copy in which some components, by their names, are others. */
    public static RdmaCapabilities of(RdmaCapabilities original, Map<String, Object> changed) {
        RecordComponent[] components = RdmaCapabilities.class.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                Object value = components[i].getAccessor().invoke(original);
                values[i] = changed.getOrDefault(components[i].getName(), value);
            }
            return RdmaCapabilities.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("not the record it was", e);
        }
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
        RdmaCapabilities capabilities = of(kind.capabilities(), changed);
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, arguments) -> {
                    if (says.test(method)) {
                        return capabilities;
                    }
                    try {
                        return method.invoke(kind, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
