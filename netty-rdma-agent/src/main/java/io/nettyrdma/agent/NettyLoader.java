// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.net.URL;
import java.net.URLClassLoader;
import org.jspecify.annotations.Nullable;

/**
 * Loads the transport from the agent's jar once more, for a Netty that the agent's own class loader does not see.
 *
 * <p>Threading: as any class loader.
 */
final class NettyLoader extends URLClassLoader {

    static {
        registerAsParallelCapable();
    }

    private static final String SOCKETS = "io.nettyrdma.agent.netty.RdmaSockets";
    private static final String SHARED = NettyLoader.class.getPackageName() + '.';

    private NettyLoader(URL agent, @Nullable ClassLoader netty) {
        super("netty-rdma-agent", new URL[] {agent}, netty);
    }

    /**
     * Loads the sockets for a Netty.
     *
     * @param netty its class loader
     */
    static Sockets load(@Nullable ClassLoader netty) {
        ClassLoader own = NettyLoader.class.getClassLoader();
        URL agent = NettyLoader.class.getProtectionDomain().getCodeSource().getLocation();
        try {
            return (Sockets) Class.forName(SOCKETS, true, netty == own ? own : new NettyLoader(agent, netty))
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the jar of the agent is damaged: " + agent, e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isOwn(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    /** Whether each Netty has a class of its own: the transport, and DiSNI, which knows one provider for a JVM. */
    private static boolean isOwn(String name) {
        return name.startsWith("com.ibm.disni.")
                || name.startsWith("io.nettyrdma.")
                        && !(name.startsWith(SHARED) && name.indexOf('.', SHARED.length()) < 0);
    }
}
