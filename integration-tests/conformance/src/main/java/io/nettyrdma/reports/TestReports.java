// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.reports;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads Surefire's reports of tests that failed, and of tests that passed only when they were repeated. Depends on
 * nothing but the JDK, so that {@code java TestReports.java} works, too.
 *
 * <p>Arguments: a question; the root of the build; the instant at which it began, as older reports do not count. The
 * questions are {@code flaky}, {@code failed}, {@code classes} (those of failed tests), {@code ran} (classes with tests
 * that were not skipped) and {@code count} (of tests, and of those that were skipped).
 */
public final class TestReports {

    private static final int MAX_REASON_LENGTH = 300;
    private static final Set<String> STACK_TRACES = Set.of("failure", "error", "stackTrace");
    private static final int MAX_FRAMES = 2;
    private static final Pattern FRAME = Pattern.compile("\\bat (?:\\S*/)?(io\\.nettyrdma\\.[^\\s(]+\\([^)]*\\))");

    /** A test that failed, at least once, with the first stack frames of this project. */
    private record Failure(String test, String className, boolean passedLater, String reason, List<String> frames) {
        String line() {
            return test + ": " + reason;
        }

        void addFrames(String text) {
            FRAME.matcher(text).results().limit(MAX_FRAMES).forEach(frame -> frames.add("    at " + frame.group(1)));
        }
    }

    private final List<Failure> failures = new ArrayList<>();
    /** Tests that were not skipped, by class. */
    private final Map<String, Integer> executed = new TreeMap<>();

    private int tests;
    private int skipped;

    private TestReports(Path root, Instant since) throws IOException {
        for (Path module : modules(root)) {
            Path directory = module.resolve("target/surefire-reports");
            if (Files.isDirectory(directory)) {
                for (Path report : list(directory, "TEST-*.xml")) {
                    if (!Files.getLastModifiedTime(report).toInstant().isBefore(since)) {
                        readOrFail(report);
                    }
                }
            }
        }
    }

    /** Modules are one level or, below the examples and the integration tests, two levels down. */
    private static List<Path> modules(Path root) throws IOException {
        List<Path> modules = list(root, "*");
        for (String parent : List.of("examples", "integration-tests")) {
            Path nested = root.resolve(parent);
            if (Files.isDirectory(nested)) {
                modules.addAll(list(nested, "*"));
            }
        }
        return modules;
    }

    private static List<Path> list(Path directory, String pattern) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory, pattern)) {
            paths.forEach(found::add);
        }
        Collections.sort(found);
        return found;
    }

    private void readOrFail(Path report) throws IOException {
        try {
            read(report);
        } catch (XMLStreamException e) {
            String name = report.getFileName().toString();
            String className = name.substring("TEST-".length(), name.length() - ".xml".length());
            failures.add(
                    new Failure(className, className, false, "broken report: " + oneLine(e.toString()), List.of()));
        }
    }

    private void read(Path report) throws IOException, XMLStreamException {
        try (InputStream in = Files.newInputStream(report)) {
            XMLStreamReader xml = XMLInputFactory.newDefaultFactory().createXMLStreamReader(in);
            String className = "";
            String test = "";
            Failure failure = null;
            String element = "";
            while (xml.hasNext()) {
                int event = xml.next();
                if (event == XMLStreamConstants.CHARACTERS || event == XMLStreamConstants.CDATA) {
                    if (failure != null && failure.frames().isEmpty() && STACK_TRACES.contains(element)) {
                        failure.addFrames(xml.getText());
                    }
                    continue;
                }
                if (event != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                element = xml.getLocalName();
                switch (element) {
                    case "testcase" -> {
                        tests++;
                        className = xml.getAttributeValue(null, "classname");
                        String method = xml.getAttributeValue(null, "name"); // none of a failure in @BeforeAll
                        test = className + (method == null || method.isEmpty() ? "" : '.' + method);
                        failure = null;
                        executed.merge(simple(className), 1, Integer::sum);
                    }
                    case "skipped" -> {
                        skipped++;
                        executed.merge(simple(className), -1, Integer::sum);
                    }
                    case "failure", "error", "flakyFailure", "flakyError" -> {
                        if (failure == null) { // the first try says most
                            boolean passedLater = element.startsWith("flaky");
                            failure = new Failure(test, className, passedLater, reason(xml), new ArrayList<>());
                            failures.add(failure);
                        }
                    }
                    default -> {}
                }
            }
        }
    }

    private static String reason(XMLStreamReader xml) {
        String type = String.valueOf(xml.getAttributeValue(null, "type"));
        String message = xml.getAttributeValue(null, "message");
        String simpleType = type.substring(type.lastIndexOf('.') + 1);
        String reason = message == null || message.isBlank() ? simpleType : message.strip();
        return oneLine(reason);
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.length() <= MAX_REASON_LENGTH ? line : line.substring(0, MAX_REASON_LENGTH) + " ...";
    }

    private List<Failure> failures(boolean passedLater) {
        return failures.stream()
                .filter(failure -> failure.passedLater() == passedLater)
                .toList();
    }

    /** The class of the source file, without the name of an execution that Surefire may append in parentheses. */
    private static String simple(String className) {
        return className.replaceAll("[$(].*", "");
    }

    private List<String> lines(String question) {
        return switch (question) {
            case "flaky" -> failures(true).stream().map(Failure::line).toList();
            case "failed" ->
                failures(false).stream()
                        .flatMap(failure -> Stream.concat(Stream.of(failure.line()), failure.frames().stream()))
                        .toList();
            case "classes" ->
                failures(false).stream()
                        .map(failure -> simple(failure.className()))
                        .distinct()
                        .sorted()
                        .toList();
            case "ran" ->
                executed.entrySet().stream()
                        .filter(entry -> entry.getValue() > 0)
                        .map(Map.Entry::getKey)
                        .toList();
            case "count" -> List.of(tests + " " + skipped);
            default -> throw new IllegalArgumentException(question);
        };
    }

    /** Prints a line for each test or class. */
    public static void main(String[] arguments) throws IOException {
        TestReports reports = new TestReports(Path.of(arguments[1]), Instant.parse(arguments[2]));
        List<String> lines = reports.lines(arguments[0]);
        if (arguments[0].equals("flaky") && !lines.isEmpty()) {
            System.out.println("passed only when repeated, which is a defect of the test or of what it tests:");
        }
        lines.forEach(System.out::println);
    }
}
