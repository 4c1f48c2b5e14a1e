// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.nettyrdma.ends.EndCase.Reader;
import io.nettyrdma.ends.EndMatrix.Answers;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One process that ends, with a channel for each size; the readers are in this process. */
final class ProcessEnds {

    /** One way to end, one reader, one role of the process that ends: a case for each size. */
    record Question(ProcessWay way, boolean isServer, Reader reader) {

        String name(int bytes) {
            return ("process " + way + " " + (isServer ? "server" : "client") + " " + bytes + " reader " + reader)
                    .toLowerCase(Locale.ROOT);
        }
    }

    static final List<Integer> SIZES = List.of(1000, 300_000, 2_700_000);

    private static final long LIMIT_MILLIS = 6000;

    private final Question question;
    private final EndKind kind;
    private final EndLoops loops;
    private final Map<Integer, EndSide> sides = new LinkedHashMap<>();
    private final Map<Integer, EndOutcome> outcomes = new LinkedHashMap<>();
    private final List<Channel> listeners = new ArrayList<>();

    ProcessEnds(Question question, EndKind kind, EndLoops loops) {
        this.question = question;
        this.kind = kind;
        this.loops = loops;
    }

    static List<Question> questions() {
        List<Question> questions = new ArrayList<>();
        for (ProcessWay way : ProcessWay.values()) {
            questions.add(new Question(way, false, Reader.READS));
            questions.add(new Question(way, false, Reader.PAUSE_500_MS));
            questions.add(new Question(way, false, Reader.PAUSE_3_S));
            questions.add(new Question(way, true, Reader.READS));
            questions.add(new Question(way, true, Reader.PAUSE_3_S));
        }
        return questions;
    }

    /** Asks, and adds an outcome for each size. */
    void ask(Map<Integer, Answers> answers) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                EndingProcess.class.getName(),
                kind.name(),
                question.way().name(),
                question.isServer() ? "server" : "client"));
        for (int size : SIZES) {
            EndSide side = new EndSide(false);
            sides.put(size, side);
            outcomes.put(size, new EndOutcome());
            command.add(question.isServer() ? "" + size : size + "@" + listen(side));
        }
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            observe(process);
            sides.forEach((size, side) -> answers.get(size).add(kind, outcomes.get(size)));
        } finally {
            process.toHandle().destroyForcibly();
            listeners.forEach(Channel::close);
            sides.values().forEach(side -> {
                if (side.active.isDone()) {
                    side.active.join().channel().close();
                }
            });
        }
    }

    private int listen(EndSide side) throws InterruptedException {
        Channel listener = kind.newServer(loops.of(kind), loops.of(kind))
                .childHandler(side)
                .childOption(ChannelOption.AUTO_READ, question.reader().readsAtOnce())
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        listeners.add(listener);
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private void connect(EndSide side, int port) throws InterruptedException {
        kind.newClient(loops.of(kind))
                .handler(side)
                .option(ChannelOption.AUTO_READ, question.reader().readsAtOnce())
                .connect("127.0.0.1", port)
                .sync();
    }

    /** Takes a line of the process: a port to connect to, or what became of a promise. */
    private void take(String line) throws InterruptedException {
        String[] words = line.split(" ", 4);
        if (words[0].equals("port")) {
            connect(sides.get(Integer.valueOf(words[1])), Integer.parseInt(words[2]));
        } else if (words[0].equals("promise")) {
            int last = line.lastIndexOf(' ');
            String name = line.substring(words[0].length() + words[1].length() + 2, last);
            outcomes.get(Integer.valueOf(words[1])).put(name + " promise", line.substring(last + 1));
        }
    }

    private void observe(Process process) throws IOException, InterruptedException {
        BufferedReader lines = process.inputReader();
        String line = lines.readLine();
        while (line != null && !line.equals("ready")) {
            take(line);
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the process ended before it was ready");
        }
        long startNanos = System.nanoTime();
        // The methods of Process would close the stream that has the promises.
        switch (question.way()) {
            case KILL -> process.toHandle().destroyForcibly();
            case TERM, TERM_HOOK -> process.toHandle().destroy();
            default -> {}
        }
        if (question.reader().pauseMillis() > 0) {
            Thread.sleep(question.reader().pauseMillis());
            sides.values().forEach(side -> side.active.join().channel().config().setAutoRead(true));
        }
        while (System.nanoTime() - startNanos < TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS)
                && !sides.values().stream().allMatch(EndSide::isUnregistered)) {
            Thread.sleep(25);
        }
        process.waitFor(1, TimeUnit.SECONDS);
        boolean hasEnded = !process.isAlive();
        process.toHandle().destroyForcibly();
        for (line = lines.readLine(); line != null; line = lines.readLine()) {
            take(line);
        }
        int lastWords = question.way() == ProcessWay.TERM_HOOK ? 3 : 0;
        sides.forEach((size, side) -> {
            EndOutcome outcome = outcomes.get(size);
            outcome.putBytes(side.receivedBytes(), side.wrongBytes(), size + lastWords);
            outcome.put("reader events", side.events());
            outcome.put("reader state", EndWords.state(side.active.join().channel()));
            long inactive = side.inactiveNanos();
            outcome.putMillis(
                    "reader inactive time",
                    inactive == 0 ? -1 : Math.max(0, TimeUnit.NANOSECONDS.toMillis(inactive - startNanos)));
            outcome.put("process", hasEnded ? "ended" : "alive");
        });
    }
}
