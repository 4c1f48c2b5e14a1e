// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.nettyrdma.ends.ProcessEnds.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Asks all transports the same questions about how a connection ends, and compares the answers. A question is answered
 * as by NIO or epoll if all elements of the answer, without those that any of the three does not repeat, are those of
 * one of the two.
 */
final class EndMatrix {

    /** What was asked and answered. */
    static final class Answers {

        final String name;
        final String group;
        final Map<EndKind, List<EndOutcome>> outcomes = new EnumMap<>(EndKind.class);

        Answers(String name, String group) {
            this.name = name;
            this.group = group;
        }

        synchronized void add(EndKind kind, EndOutcome outcome) {
            outcomes.computeIfAbsent(kind, k -> new ArrayList<>()).add(outcome);
        }

        /** The reference that is nearest. */
        EndKind nearest() {
            return outcomes.keySet().stream()
                    .filter(EndKind::isReference)
                    .min(Comparator.comparingInt(kind -> differences(kind).size()))
                    .orElseThrow();
        }

        private Set<String> differences(EndKind reference) {
            Set<String> differing = EndOutcome.differing(outcomes.get(reference), outcomes.get(EndKind.STREAM));
            outcomes.values().forEach(each -> differing.removeAll(EndOutcome.unstable(each)));
            return differing;
        }

        /** The elements that differ from the nearest reference. */
        Set<String> differences() {
            return differences(nearest());
        }

        Set<String> unstable() {
            return EndOutcome.unstable(outcomes.get(EndKind.STREAM));
        }

        EndOutcome first(EndKind kind) {
            return outcomes.get(kind).get(0);
        }

        String kindOf(String element) {
            return EndOutcome.kind(element, first(nearest()), first(EndKind.STREAM));
        }
    }

    private record Task(EndCase question, EndKind kind, Answers answers) {}

    private static final int TIMES = 2;
    private static final int PARALLEL = 96;

    /** Tries to connect. */
    private static final int MAX_TRIES = 3;

    private static final int PARALLEL_PROCESSES = 12;
    private static final int PARALLEL_LINGER = 24;

    private EndMatrix() {}

    static List<Answers> ask(List<EndCase> questions) throws Exception {
        Map<EndCase, Answers> answers = new LinkedHashMap<>();
        for (EndCase question : questions) {
            answers.put(question, new Answers(question.toString(), question.isOrdinary() ? "ordinary" : "rare"));
        }
        try (EndLoops loops = new EndLoops()) {
            ask(questions, answers, loops, TIMES);
            System.err.println(new EndReport(List.copyOf(answers.values())).text(false));
            // A machine under load makes differences of its own: ask once more.
            List<EndCase> different = new ArrayList<>(questions);
            different.removeIf(question -> answers.get(question).differences().isEmpty());
            ask(different, answers, loops, 1);
        }
        return List.copyOf(answers.values());
    }

    private static void ask(List<EndCase> questions, Map<EndCase, Answers> answers, EndLoops loops, int times)
            throws Exception {
        List<Task> tasks = new ArrayList<>();
        for (EndCase question : questions) {
            for (EndKind kind : EndKind.available()) {
                for (int i = 0; i < times; i++) {
                    tasks.add(new Task(question, kind, answers.get(question)));
                }
            }
        }
        tasks.sort(Comparator.comparing(task -> -task.question.limitSeconds()));
        ExecutorService threads = Executors.newFixedThreadPool(PARALLEL);
        ExecutorService lingering = Executors.newFixedThreadPool(PARALLEL_LINGER);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (Task task : tasks) {
                boolean isLinger = EndRun.isLinger(task.kind, task.question);
                runs.add((isLinger ? lingering : threads).submit(() -> {
                    task.answers.add(task.kind, answer(task, loops));
                    return null;
                }));
            }
            await(runs);
        } finally {
            threads.shutdownNow();
            lingering.shutdownNow();
        }
    }

    /** Asks the questions about processes of which a name matches. */
    static List<Answers> askProcesses(Predicate<String> names) throws Exception {
        Map<String, Answers> answers = new LinkedHashMap<>();
        List<Question> questions = new ArrayList<>(ProcessEnds.questions());
        questions.removeIf(
                question -> ProcessEnds.SIZES.stream().map(question::name).noneMatch(names));
        try (EndLoops loops = new EndLoops()) {
            askProcesses(questions, answers, loops, TIMES);
            System.err.println(new EndReport(List.copyOf(answers.values())).text(false));
            questions.removeIf(question -> ProcessEnds.SIZES.stream()
                    .allMatch(size ->
                            answers.get(question.name(size)).differences().isEmpty()));
            askProcesses(questions, answers, loops, 1);
        }
        return answers.values().stream().filter(a -> names.test(a.name)).toList();
    }

    private static void askProcesses(List<Question> questions, Map<String, Answers> answers, EndLoops loops, int times)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(PARALLEL_PROCESSES);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (Question question : questions) {
                Map<Integer, Answers> bySize = new LinkedHashMap<>();
                for (int size : ProcessEnds.SIZES) {
                    bySize.put(size, answers.computeIfAbsent(question.name(size), n -> new Answers(n, "process")));
                }
                for (EndKind kind : EndKind.available()) {
                    for (int i = 0; i < times; i++) {
                        runs.add(threads.submit(() -> {
                            new ProcessEnds(question, kind, loops).ask(bySize);
                            return null;
                        }));
                    }
                }
            }
            await(runs);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(List<Future<?>> runs) throws Exception {
        long open = runs.size();
        while (open > 0) {
            Thread.sleep(1000);
            open = runs.stream().filter(run -> !run.isDone()).count();
            System.err.print("\r" + open + " of " + runs.size() + " runs left ");
        }
        for (Future<?> run : runs) {
            run.get();
        }
    }

    private static EndOutcome answer(Task task, EndLoops loops) throws Exception {
        for (int i = 1; ; i++) {
            try {
                return new EndRun(task.kind, task.question, loops).ask();
            } catch (IOException | TimeoutException e) {
                System.err.println(task.kind + " " + task.question + ": try " + i + ": " + e);
                if (i == MAX_TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Arguments: {@code -v}, a regular expression of names of cases. */
    public static void main(String[] arguments) throws Exception {
        List<String> rest = new ArrayList<>(List.of(arguments));
        boolean isVerbose = rest.remove("-v");
        String pattern = rest.isEmpty() ? "" : rest.get(0);
        long startNanos = System.nanoTime();
        List<EndCase> questions = new ArrayList<>(EndCase.all());
        Predicate<String> names = Pattern.compile(pattern).asPredicate();
        questions.removeIf(question -> !names.test(question.toString()));
        List<Answers> answers = new ArrayList<>(ask(questions));
        answers.addAll(askProcesses(names));
        EndReport report = new EndReport(answers);
        System.out.println(report.text(isVerbose));
        System.out.println((System.nanoTime() - startNanos) / 1_000_000_000 + " s");
        System.out.flush();
        System.exit(0);
    }
}
