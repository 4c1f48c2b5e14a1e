// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Called by the classes that {@code NettyClasses} edits, in place of the calls they made.
 *
 * <p>Threading: any thread.
 */
public final class Hooks {

    private static final LongAdder listeners = new LongAdder();
    private static final LongAdder connections = new LongAdder();
    private static final LongAdder left = new LongAdder();

    /** The address that the thread is about to make a channel for. */
    private static final ThreadLocal<@Nullable Object> nextAddress = new ThreadLocal<>();

    /** By a class of each Netty, so that it can be collected. */
    private static final ClassValue<Sockets> sockets = new ClassValue<>() {
        @Override
        protected Sockets computeValue(Class<?> channel) {
            return NettyLoader.load(channel.getClassLoader());
        }
    };

    private static AddressRules rules = AddressRules.parse("");

    private Hooks() {}

    static void start(AddressRules chosen) {
        rules = chosen;
        Runtime.getRuntime().addShutdownHook(new Thread(Hooks::report, "netty-rdma-agent"));
    }

    private static void report() {
        RdmaAgent.say(listeners + " listeners and " + connections + " connections over RDMA, " + left + " over TCP");
    }

    /** Says which address the next channel of this thread is for. */
    public static void onAddress(@Nullable Object address) {
        nextAddress.set(address);
    }

    /** In place of {@code ChannelFactory.newChannel()}. */
    public static Object newChannel(Object factory, Class<?> caller) throws ClassNotFoundException {
        Object address = nextAddress.get();
        nextAddress.remove();
        return socketsOf(caller).newChannel(factory, address);
    }

    /** In place of {@code IoHandlerFactory.newHandler(ThreadAwareExecutor)}. */
    public static Object newHandler(Object factory, Object executor, Class<?> caller) throws ClassNotFoundException {
        return socketsOf(caller).newHandler(factory, executor);
    }

    private static Sockets socketsOf(Class<?> caller) throws ClassNotFoundException {
        return sockets.get(Class.forName("io.netty.channel.Channel", false, caller.getClassLoader()));
    }

    /**
     * Returns whether the socket of an address becomes RDMA, see {@link Sockets#newChannel}, and counts it.
     *
     * @param obstacle why it cannot, for the user, or {@code null}
     */
    public static boolean moves(@Nullable Object address, boolean listens, @Nullable String obstacle) {
        boolean moves = rules.moves(address);
        if (moves && obstacle != null) {
            RdmaAgent.say(obstacle);
            moves = false;
        }
        (moves ? listens ? listeners : connections : left).increment();
        return moves;
    }

    /** Returns the advice to leave an address, called "it", to TCP. */
    public static String toLeave(String address) {
        return rules.toLeave(address);
    }

    /** A client that does not speak RDMA has reached a listener. */
    public static void onStranger(InetSocketAddress listener) {
        String port = "" + listener.getPort();
        RdmaAgent.say("port " + port + " got a client that does not speak RDMA; if clients of TCP need it, "
                + rules.toLeave(port));
    }
}
