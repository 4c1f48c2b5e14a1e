// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A TCP relay on loopback that stands between an initiator and a responder and carries out a {@link FaultPlan} for each
 * direction. The initiator connects to {@link #address}, the relay to the responder.
 *
 * <p>A test that drives both ends itself calls {@link #run} in its turn, and everything happens in one thread and in
 * the same order each time; {@link #start} gives the relay a thread of its own instead, for ends with event loops.
 *
 * <p>Threading: any thread. Ownership: owns its sockets, and the thread if started, until {@link #close}.
 */
public final class FaultRelay implements Runnable, AutoCloseable {

    private final Selector selector;
    private final ServerSocketChannel server;
    private final InetSocketAddress address;
    private final InetSocketAddress target;
    /** Every connection that was accepted, for the counts. */
    private final List<FaultedConnection> connections = new ArrayList<>();
    /** Those with an open socket, so that a turn costs the same after thousands of connections. */
    private final List<FaultedConnection> open = new ArrayList<>();
    /** For the connections to come, one each; after them, the plans for all the rest. */
    private final ArrayDeque<FaultPlan[]> next = new ArrayDeque<>();

    private FaultPlan forth;
    private FaultPlan back;
    private volatile boolean closing;
    /** What has ended the thread, so that the next connect would wait in vain. */
    private volatile Throwable failure;

    private Thread thread;

    /**
     * @param target where the responder listens
     * @param forth  what happens to the initiator's octets
     * @param back   what happens to the responder's octets
     */
    public FaultRelay(InetSocketAddress target, FaultPlan forth, FaultPlan back) throws IOException {
        this.target = target;
        this.forth = forth;
        this.back = back;
        selector = Selector.open();
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        address = (InetSocketAddress) server.getLocalAddress();
    }

    /** Where to connect to. */
    public InetSocketAddress address() {
        return address;
    }

    /** Other plans for the connections accepted from now on. */
    public synchronized void plans(FaultPlan newForth, FaultPlan newBack) {
        if (failure != null) {
            throw new AssertionError("the relay has ended", failure);
        }
        forth = newForth;
        back = newBack;
    }

    /** Plans for one connection, the first that is accepted and has none of its own yet. */
    public synchronized void next(FaultPlan forthOnce, FaultPlan backOnce) {
        next.add(new FaultPlan[] {forthOnce, backOnce});
    }

    /** Moves what can be moved now, on all connections. */
    @Override
    public synchronized void run() {
        try {
            selector.selectNow();
            step();
            // Closed sockets are only let go of by a select after their keys were cancelled.
            selector.selectNow();
        } catch (IOException e) {
            throw new AssertionError("relay to " + target, e);
        }
    }

    private void step() throws IOException {
        for (SocketChannel s = server.accept(); s != null; s = server.accept()) {
            accepted(s);
        }
        open.forEach(FaultedConnection::move);
        open.removeIf(FaultedConnection::isOver);
    }

    private void accepted(SocketChannel initiator) throws IOException {
        FaultPlan[] once = next.poll();
        FaultPlan ofInitiator = once == null ? forth : once[0];
        FaultPlan ofResponder = once == null ? back : once[1];
        try {
            FaultedConnection connection =
                    new FaultedConnection(selector, initiator, SocketChannel.open(target), ofInitiator, ofResponder);
            connections.add(connection);
            open.add(connection);
        } catch (ConnectException e) {
            // Nobody listens, which the initiator hears as a reset.
            initiator.setOption(StandardSocketOptions.SO_LINGER, 0);
            initiator.close();
        }
    }

    /** Moves by itself from now on, in a thread of its own. */
    public FaultRelay start() {
        thread = new Thread(this::loopUntilFailure, "fault-relay-" + address.getPort());
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    private void loopUntilFailure() {
        try {
            loop();
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    private void loop() {
        while (!closing) {
            run();
            try {
                // Asked here again, because the select without waiting may have used up the wake-up.
                if (!closing && !isDue()) {
                    selector.select();
                }
            } catch (IOException e) {
                throw new AssertionError("relay to " + target, e);
            }
        }
    }

    private synchronized boolean isDue() {
        return open.stream().anyMatch(FaultedConnection::isDue);
    }

    /** Lets go of what is held, in both directions of all connections. */
    public void release() {
        synchronized (this) {
            for (FaultedConnection c : connections) {
                c.forth.release();
                c.back.release();
            }
        }
        selector.wakeup();
    }

    /** Closes the connections that are open: those that stand still would keep their sockets for ever. */
    public void drop() {
        synchronized (this) {
            open.forEach(FaultedConnection::close);
            open.clear();
        }
        selector.wakeup();
    }

    /** Whether a direction of any connection has come to a hold or a stall. */
    public boolean isHeld() {
        return heldConnections() > 0;
    }

    /** How many connections have come to a hold or a stall. */
    public synchronized long heldConnections() {
        return connections.stream()
                .filter(c -> c.forth.isHeld() || c.back.isHeld())
                .count();
    }

    /** How many connections were accepted. */
    public synchronized int connections() {
        return connections.size();
    }

    /** Octets of the latest initiator that were handed on, if its plan says to record them. */
    public synchronized byte[] forthRecord() {
        return connections.get(connections.size() - 1).forth.record();
    }

    /** Octets handed on to the latest initiator, if the plan says to record them. */
    public synchronized byte[] backRecord() {
        return connections.get(connections.size() - 1).back.record();
    }

    /** Octets of the latest initiator that were handed on. */
    public synchronized long latestForthOctets() {
        return connections.isEmpty()
                ? 0
                : connections.get(connections.size() - 1).forth.handedOn();
    }

    /** Octets handed on to the latest initiator. */
    public synchronized long latestBackOctets() {
        return connections.isEmpty()
                ? 0
                : connections.get(connections.size() - 1).back.handedOn();
    }

    /** Octets of the initiators that were handed on. */
    public synchronized long forthOctets() {
        return connections.stream().mapToLong(c -> c.forth.handedOn()).sum();
    }

    /** Octets of the responders that were handed on. */
    public synchronized long backOctets() {
        return connections.stream().mapToLong(c -> c.back.handedOn()).sum();
    }

    /** Whether every connection that was relayed has ended on both sides. */
    public synchronized boolean isIdle() {
        return connections.stream().allMatch(FaultedConnection::isOver);
    }

    /** Closes what is still open. */
    @Override
    public void close() throws IOException {
        closing = true;
        selector.wakeup();
        join();
        synchronized (this) {
            server.close();
            for (FaultedConnection c : connections) {
                c.close();
            }
            selector.close();
        }
    }

    private void join() {
        if (thread == null) {
            return;
        }
        try {
            thread.join(Deadline.MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new AssertionError("relay to " + target + " did not end within " + Deadline.MILLIS + " ms");
        }
    }
}
