// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.channel.Channel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Words for what programs see, the same for all transports. */
final class EndWords {

    private static final int MAX_WORDS = 3;

    private EndWords() {}

    /** The family of an exception and its first words. All ways to lose a connection are one word. */
    static String of(Throwable cause) {
        String family;
        if (cause instanceof ChannelOutputShutdownException) {
            family = "OutputShutdown";
        } else if (cause instanceof ClosedChannelException) {
            family = "Closed";
        } else if (cause instanceof IOException) {
            family = "IO";
        } else {
            family = cause.getClass().getSimpleName();
        }
        String message = cause.getMessage() == null ? "" : cause.getMessage();
        if (message.contains("Connection reset") || message.contains("Broken pipe")) {
            return family + "/RESET";
        }
        String words = Arrays.stream(message.split("\\s+")).limit(MAX_WORDS).collect(Collectors.joining("_"));
        return words.isEmpty() ? family : family + "/" + words;
    }

    static String of(Future<?> promise) {
        if (!promise.isDone()) {
            return "pending";
        }
        Throwable cause = promise.cause();
        if (cause == null) {
            return "ok";
        }
        return of(cause) + (cause.getCause() == null ? "" : "<" + of(cause.getCause()));
    }

    /** What became of several promises, with equal ones behind each other as one. */
    static String ofAll(List<Future<?>> promises) {
        List<String> words = new ArrayList<>();
        for (Future<?> promise : promises) {
            String word = of(promise);
            if (words.isEmpty() || !words.get(words.size() - 1).equals(word)) {
                words.add(word);
            }
        }
        return String.join(" then ", words);
    }

    static String state(Channel channel) {
        if (!channel.isOpen()) {
            return "closed" + (channel.isActive() ? " active" : "");
        }
        DuplexChannel duplex = (DuplexChannel) channel;
        return "open "
                + (channel.isActive() ? "active" : "inactive")
                + (duplex.isInputShutdown() ? " input-shut" : "")
                + (duplex.isOutputShutdown() ? " output-shut" : "");
    }
}
