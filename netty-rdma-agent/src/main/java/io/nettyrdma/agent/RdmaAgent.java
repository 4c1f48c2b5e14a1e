// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The agent: {@code java -javaagent:netty-rdma-agent.jar[=OPTION,...] PROGRAM}. Event loops of NIO become those of
 * RDMA, which take channels of NIO, too, and TCP sockets that the options do not leave to TCP become {@code
 * RdmaSocketChannel}s. Programs that prefer a native transport of Netty find none and take NIO.
 *
 * <p>Lines for the user go to the standard error: one at the start, one at the end of the JVM, one for each defect.
 */
public final class RdmaAgent {

    private static final int STATUS_USAGE = 2;

    private static final Set<String> said = ConcurrentHashMap.newKeySet();

    private RdmaAgent() {}

    /**
     * Called by the JVM before the program. Ends the JVM with status 2 if an option is wrong.
     *
     * @param options as behind the equals sign, or {@code null}
     */
    public static void premain(@Nullable String options, Instrumentation instrumentation) {
        try {
            start(AddressRules.parse(options == null ? "" : options), instrumentation);
        } catch (IllegalArgumentException e) {
            say(e.getMessage() + "; " + AddressRules.USAGE);
            System.exit(STATUS_USAGE);
        }
    }

    private static void start(AddressRules rules, Instrumentation instrumentation) {
        Hooks.start(rules);
        instrumentation.addTransformer(new NettyClasses(instrumentation), true);
        String version = RdmaAgent.class.getPackage().getImplementationVersion();
        say((version == null ? "" : version + ": ") + "TCP sockets of Netty become RDMA" + rules);
        for (String host : rules.unknownHosts()) {
            say("the host " + host + " of the options is unknown here; correct it, unless the program can find it");
        }
        // By another agent, or by a JVM with an AOT cache.
        Class<?>[] loaded = Arrays.stream(instrumentation.getAllLoadedClasses())
                .filter(type -> NettyClasses.makesSockets(type.getName()))
                .toArray(Class<?>[]::new);
        if (loaded.length > 0) {
            try {
                instrumentation.retransformClasses(loaded);
            } catch (UnmodifiableClassException | UnsupportedOperationException | LinkageError e) {
                say("Netty was loaded before this agent and cannot be edited (" + e
                        + "); its sockets stay TCP. Name this -javaagent before all others");
            }
        }
    }

    /** Prints a line for the user, once. Any thread. */
    static void say(String line) {
        if (said.add(line)) {
            System.err.println("netty-rdma-agent: " + line);
        }
    }
}
