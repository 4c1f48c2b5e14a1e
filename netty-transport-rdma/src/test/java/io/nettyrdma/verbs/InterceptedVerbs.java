// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs;

import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A provider in front of another one: a test sees each call, and makes, changes or replaces it. */
public final class InterceptedVerbs {

    /** Makes the call of the other provider, and throws what that throws. */
    public interface RealCall {

        /** Returns the result of the other provider. */
        Object make() throws Throwable;
    }

    /** Stands between the caller and the other provider. */
    public interface Interceptor {

        /** Returns the result of a call. */
        Object call(Method method, Object[] arguments, RealCall real) throws Throwable;
    }

    private InterceptedVerbs() {}

    /** Returns a provider whose calls go to {@code interceptor}. */
    public static VerbsExtensions before(VerbsExtensions real, Interceptor interceptor) {
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, arguments) -> interceptor.call(method, arguments, () -> {
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
