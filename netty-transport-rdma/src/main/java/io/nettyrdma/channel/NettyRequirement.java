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
package io.nettyrdma.channel;

import io.netty.util.Version;
import org.jspecify.annotations.Nullable;

/**
 * The oldest Netty that event loops of this transport run on.
 *
 * <p>Threading: static.
 */
final class NettyRequirement {

    /** The first version whose loops call a handle when it is registered; older ones fail then. */
    static final String OLDEST = "4.2.7";

    private static final String HANDLE = "io.netty.channel.IoHandle";

    private NettyRequirement() {}

    /** Returns why the Netty found by this class is unusable, or {@code null} if it is usable. */
    @Nullable
    static String defect() {
        Version version =
                Version.identify(NettyRequirement.class.getClassLoader()).get("netty-transport");
        return defect(
                name -> Class.forName(name, false, NettyRequirement.class.getClassLoader()),
                version == null ? "of an unknown version" : version.artifactVersion());
    }

    /** Finds classes by name. */
    interface Classes {
        Class<?> find(String name) throws ClassNotFoundException;
    }

    /**
     * Returns why the Netty on the class path is unusable.
     *
     * @param classes the source of its classes
     * @param version its own version, for the message
     * @return a sentence, or {@code null} if it is usable
     */
    @Nullable
    static String defect(Classes classes, String version) {
        String found;
        try {
            classes.find(HANDLE).getMethod("registered");
            return null;
        } catch (ClassNotFoundException e) {
            found = "no " + HANDLE;
        } catch (NoSuchMethodException e) {
            found = "no IoHandle.registered()";
        }
        return "Netty RDMA needs Netty " + OLDEST + " or newer; netty-transport on the class path is " + version
                + " and has " + found;
    }
}
