// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the message to send next: a sequence that is under way before anything else, so that none is interleaved
 * (draft -01, section 4.1; C16), then properties, then replies and errors, then calls (C46). Refreshes are not queued:
 * they need no credit, and stand out of every sequence.
 *
 * <p>Each item that is handed out has taken its credit from the {@link CreditLedger}, and what it means for the ledger
 * is booked: a call with its first message, an answer with its last. So each item that is handed out must be sent.
 *
 * <p>Threading: confined to one thread. Ownership: items are the queue's from an accepted {@code offer} until
 * {@link #next} has returned their last message, or {@link #drain} has returned them.
 *
 * @param <T> what is sent
 */
final class OutboundQueue<T extends OutboundQueue.Item> {

    /** A message, or several that follow each other. */
    interface Item {

        /** Returns its kind, always the same. */
        Kind kind();

        /** Returns the answer that it is, if it is one; the last message ends it. */
        CreditLedger.@Nullable Answer answer();

        /** Returns the XID of a call that is not begun. */
        int xid();

        /** Returns the number of its messages, at least 1; called before the first is sent. */
        int messages();

        /** Whether another item of its kind follows, whose messages need something to grant as well (C44). */
        default boolean isFollowed() {
            return false;
        }
    }

    /** The kinds of items; those that come first go first. */
    enum Kind {
        /** A set of properties, in messages of their own that need not follow each other immediately. */
        PROPERTIES,
        /** A reply or an error. */
        ANSWER,
        CALL
    }

    private final CreditLedger credits;
    private final int maxAnswers;
    private final int maxCalls;
    private final Deque<T> properties = new ArrayDeque<>();
    private final Deque<T> answers = new ArrayDeque<>();
    private final Deque<T> calls = new ArrayDeque<>();

    private @Nullable T current;
    private int messages;
    private int next;
    private int creditWord;
    private int messagesSent;

    /**
     * A queue for one connection.
     *
     * @param maxAnswers most answers, and most sets of properties, that wait
     * @param maxCalls   most calls that wait
     */
    OutboundQueue(CreditLedger credits, int maxAnswers, int maxCalls) {
        this.credits = credits;
        this.maxAnswers = maxAnswers;
        this.maxCalls = maxCalls;
    }

    /** Takes an item, unless too many of its kind wait; then it stays the caller's. */
    boolean offer(T item) {
        Deque<T> waiting = waiting(item.kind());
        if (waiting.size() >= (item.kind() == Kind.CALL ? maxCalls : maxAnswers)) {
            return false;
        }
        waiting.add(item);
        return true;
    }

    private Deque<T> waiting(Kind kind) {
        return switch (kind) {
            case PROPERTIES -> properties;
            case ANSWER -> answers;
            case CALL -> calls;
        };
    }

    /**
     * Returns the item whose next message must be sent now, {@code null} if there is none or credits do not allow one.
     * Its messages come in their order; {@link #isLast} tells the last one, and {@link #creditWord} is for the header.
     */
    @Nullable
    T next() {
        T item = current;
        if (item == null) {
            item = begin();
        } else if (!credits.maySend()) { // V2-111
            return null;
        }
        if (item == null) {
            return null;
        }
        next++;
        messagesSent++;
        current = isLast() ? null : item; // V2-010
        creditWord = send(item);
        return item;
    }

    private int send(T item) {
        return switch (item.kind()) {
            case PROPERTIES -> isLast() && !item.isFollowed() ? credits.send() : credits.send(1);
            case ANSWER -> isLast() ? credits.sendAnswer(Objects.requireNonNull(item.answer())) : credits.send();
            case CALL -> next == 1 ? credits.sendCall(item.xid()) : credits.send();
        };
    }

    private @Nullable T begin() {
        final T item;
        if (!credits.maySend()) {
            return null;
        } else if (!properties.isEmpty()) {
            item = properties.remove();
        } else if (!answers.isEmpty()) {
            item = answers.remove();
        } else if (!calls.isEmpty() && credits.mayCall()) {
            item = calls.remove();
        } else {
            return null;
        }
        messages = item.messages();
        next = 0;
        return item;
    }

    /**
     * Whether a refresh should be sent, when {@link #next} has nothing. Not as long as properties wait: each of their
     * messages must grant something, and unlike calls and answers they bring no credit of their own. Both sides
     * cannot be without credits then, as either has granted one per message.
     */
    boolean mayRefresh() {
        boolean hasProperties = !properties.isEmpty() || current != null && current.kind() == Kind.PROPERTIES;
        return !hasProperties && credits.mayRefresh(); // V2-015
    }

    /** Whether the message that {@link #next} has told of is the last one of its item. */
    boolean isLast() {
        return next == messages;
    }

    int creditWord() {
        return creditWord;
    }

    /**
     * Removes something that is not to be sent any more, because the connection has ended: what is under way first,
     * then the rest; {@code null} if there is nothing left.
     */
    @Nullable
    T drain() {
        T item = current;
        current = null;
        for (Kind kind : Kind.values()) {
            item = item == null ? waiting(kind).poll() : item;
        }
        return item;
    }

    /** Whether no sequence is under way, and nothing waits. */
    boolean isEmpty() {
        return current == null && properties.isEmpty() && answers.isEmpty() && calls.isEmpty();
    }

    /** Returns the first answer or set of properties that is not sent completely; {@code null} if none waits. */
    @Nullable
    T firstAnswer() {
        if (current != null && current.kind() != Kind.CALL) {
            return current;
        }
        return properties.isEmpty() ? answers.peek() : properties.peek();
    }

    /** Answers and sets of properties that wait, one of which a part has gone included. */
    int answersWaiting() {
        int begun = current != null && current.kind() != Kind.CALL ? 1 : 0;
        return begun + properties.size() + answers.size();
    }

    /** Whether some messages of a call are sent, and others are not. */
    boolean isWithinCall() {
        return current != null && current.kind() == Kind.CALL;
    }

    /** Messages that were ever handed out, modulo 2<sup>32</sup>. */
    int messagesSent() {
        return messagesSent;
    }
}
