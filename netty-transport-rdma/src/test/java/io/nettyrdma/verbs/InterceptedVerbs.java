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
