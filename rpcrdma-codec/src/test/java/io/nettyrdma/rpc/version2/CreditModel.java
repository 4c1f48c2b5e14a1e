// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Two ledgers with their queues, and a delaying FIFO in each direction. Everything is drawn from one seed: sizes, who
 * moves next, how long calls are held, when a base is changed.
 */
final class CreditModel {

    /** Makes the ledger of one side. */
    interface Ledgers {
        CreditLedger create(int base, int maxOwnCalls);
    }

    /** What a rule was broken by. */
    static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Violation(String message) {
            super(message);
        }
    }

    private enum Type {
        PROPERTIES,
        CALL,
        REPLY,
        ERROR,
        REFRESH
    }

    /** What is queued, or held by the other side. */
    private static final class Item implements OutboundQueue.Item {
        final Type type;
        final int messages;
        int xid;
        boolean needsCall;

        /** The answer to a call that is held, or that an item is. */
        CreditLedger.@Nullable Answer answer;

        Item(Type type, int messages) {
            this.type = type;
            this.messages = messages;
        }

        @Override
        public CreditLedger.@Nullable Answer answer() {
            return answer;
        }

        @Override
        public int xid() {
            return xid;
        }

        @Override
        public OutboundQueue.Kind kind() {
            return switch (type) {
                case PROPERTIES -> OutboundQueue.Kind.PROPERTIES;
                case CALL -> OutboundQueue.Kind.CALL;
                default -> OutboundQueue.Kind.ANSWER;
            };
        }

        @Override
        public int messages() {
            return messages;
        }
    }

    private record Message(Item item, boolean last, int creditWord) {}

    private final class Side {
        final CreditLedger ledger;
        final OutboundQueue<Item> queue;
        final int firstBase;
        final int receives;
        final Deque<Message> incoming = new ArrayDeque<>();
        final List<Item> held = new ArrayList<>();
        int base;
        int callsToMake;
        int leavesToMake;
        int unanswered;
        int calls;
        int refreshesUnderWay;

        @SuppressWarnings("NullAway")
        Side other;

        Side(Ledgers ledgers, int base, int maxOwnCalls, int calls) {
            this.base = base;
            firstBase = base;
            receives = base + maxOwnCalls + 1;
            ledger = ledgers.create(base, maxOwnCalls);
            queue = new OutboundQueue<>(ledger, Integer.MAX_VALUE, Integer.MAX_VALUE);
            callsToMake = calls;
        }

        boolean pump() {
            boolean sent = false;
            while (true) {
                boolean lowering = ledger.isLowering();
                boolean overdrawn = ledger.isOverdrawn();
                Item item = queue.next();
                if (item == null) {
                    return sent;
                }
                boolean mayGrantNothing = lowering || overdrawn && item.kind() == OutboundQueue.Kind.ANSWER;
                send(item, queue.isLast(), queue.creditWord(), mayGrantNothing);
                sent = true;
            }
        }

        private void send(Item item, boolean last, int creditWord, boolean mayGrantNothing) {
            boolean whole = item.messages == 1 || item.type == Type.PROPERTIES;
            if ((creditWord & 0xffff) == 0 && whole && !mayGrantNothing) {
                throw new Violation("nothing granted by a whole " + item.type);
            }
            messages++;
            other.incoming.add(new Message(item, last, creditWord));
            int posted = reserving ? other.receives - other.held.size() : other.receives;
            if (other.incoming.size() > posted) {
                throw new Violation(other.incoming.size() + " messages under way, " + posted + " Receives posted");
            }
        }

        boolean refresh() {
            if (!queue.mayRefresh()) {
                return false;
            }
            if (++other.refreshesUnderWay > 1) {
                throw new Violation("two refreshes under way");
            }
            refreshes++;
            send(new Item(Type.REFRESH, 1), true, ledger.refresh(), false);
            return true;
        }

        /** Takes in some of what has come, and sends what that allows, now and then before the rest is taken in. */
        boolean receive(int most) {
            boolean any = false;
            boolean sent = false;
            for (int i = 0; i < most && !incoming.isEmpty(); i++) {
                receive(incoming.remove());
                any = true;
                sent |= random.nextBoolean() && pump();
            }
            sent |= pump();
            if (any && !(sent && forgetful)) {
                refresh();
            }
            return any;
        }

        private void receive(Message message) {
            ledger.onGranted(message.creditWord());
            if (message.item().type == Type.REFRESH) {
                refreshesUnderWay--;
                return;
            }
            ledger.onReceived();
            if (!message.last()) {
                if (message.item().type == Type.CALL) {
                    ledger.onCallArriving();
                }
                return;
            }
            switch (message.item().type) {
                case CALL -> {
                    message.item().answer = ledger.owe();
                    held.add(message.item());
                    if (message.item().needsCall) {
                        leavesToMake++;
                    }
                }
                case REPLY, ERROR -> {
                    ledger.onAnswered(message.item().xid);
                    unanswered--;
                }
                default -> propertiesReceived++;
            }
        }

        boolean makeCall() {
            boolean leaf = leavesToMake > 0;
            if (propertiesReceived < propertiesExpected || !leaf && callsToMake == 0) {
                return false;
            }
            Item call = new Item(Type.CALL, length());
            call.xid = ++calls;
            if (leaf) {
                leavesToMake--;
            } else {
                callsToMake--;
                call.needsCall = nested && this == client;
            }
            unanswered++;
            queue.offer(call);
            pump();
            return true;
        }

        /** Answers a call that is held, as soon as a call of this side needs no answer before it. */
        boolean answer() {
            if (held.isEmpty() || nested && this == server && (leavesToMake > 0 || unanswered > 0)) {
                return false;
            }
            Item call = held.remove(random.nextInt(held.size()));
            Item answer = random.nextInt(8) == 0 ? new Item(Type.ERROR, 1) : new Item(Type.REPLY, length());
            answer.answer = call.answer;
            answer.xid = call.xid;
            queue.offer(answer);
            pump();
            return true;
        }

        void changeBase() {
            base = 1 + random.nextInt(random.nextBoolean() ? base : firstBase);
            ledger.changeBase(base);
            refresh();
        }

        boolean isDone() {
            return callsToMake == 0 && leavesToMake == 0 && unanswered == 0 && held.isEmpty() && incoming.isEmpty();
        }

        @Override
        public String toString() {
            return "balance " + ledger.balance() + ", outstanding " + ledger.outstanding() + ", base " + base
                    + ", unanswered " + unanswered + ", held " + held.size();
        }
    }

    private final Random random;
    private final boolean nested;
    private final boolean reserving;
    private final int maxLength;
    private final int propertiesExpected;
    private final Side client;
    private final Side server;
    private int propertiesReceived;
    private boolean forgetful;
    long messages;
    long refreshes;

    /** @param nested whether the server calls back, and has its answer, before it answers any call of the client */
    CreditModel(long seed, boolean nested, Ledgers ledgers) {
        this(seed, nested, true, ledgers, ledgers);
    }

    /** @param reserving whether calls leave credits for answers; if not, calls that are held may use all Receives */
    CreditModel(long seed, boolean nested, boolean reserving, Ledgers ledgers, Ledgers serverLedgers) {
        random = new Random(seed);
        this.nested = nested;
        this.reserving = reserving;
        maxLength = 1 + random.nextInt(random.nextBoolean() ? 4 : 100);
        int most = random.nextBoolean() ? 4 : 64;
        client = new Side(ledgers, 1 + random.nextInt(most), 1 + random.nextInt(32), 1 + random.nextInt(40));
        server = new Side(
                serverLedgers, 1 + random.nextInt(most), 1 + random.nextInt(32), nested ? 0 : random.nextInt(40));
        client.other = server;
        server.other = client;
        propertiesExpected = client.base > 1 ? 2 : 0;
    }

    /** Has both sides refresh only if they have sent nothing between the messages that have come. */
    CreditModel forgetful() {
        forgetful = true;
        return this;
    }

    private int length() {
        return random.nextBoolean() ? 1 : 1 + random.nextInt(maxLength);
    }

    /** Has the traffic begin, and go on until it has ended. */
    void run() {
        if (propertiesExpected > 0) {
            client.queue.offer(new Item(Type.PROPERTIES, 1 + random.nextInt(client.base - 1)));
            client.pump();
            server.queue.offer(new Item(Type.PROPERTIES, 1 + random.nextInt(server.base)));
            server.receive(1); // sends nothing before
        }
        while (!client.isDone() || !server.isDone()) {
            Side side = random.nextBoolean() ? client : server;
            switch (random.nextInt(16)) {
                case 0, 1, 2 -> side.makeCall();
                case 3, 4, 5 -> side.answer();
                case 6 -> {
                    if (propertiesReceived == propertiesExpected && random.nextInt(8) == 0) {
                        side.changeBase();
                    }
                }
                case 7 -> requireProgress();
                default -> side.receive(1 + random.nextInt(random.nextBoolean() ? 2 : 64));
            }
        }
    }

    /** Does whatever can be done, once; something must, as long as not everything is done. */
    private void requireProgress() {
        boolean progress = false;
        for (Side side : List.of(client, server)) {
            progress |= side.makeCall() | side.answer() | side.receive(1 + random.nextInt(8));
        }
        if (!progress && !(client.isDone() && server.isDone())) {
            throw new Violation("nothing moves: client " + client + "; server " + server);
        }
    }
}
