/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.reports;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
 * <p>Arguments: {@code flaky}, {@code failed}, {@code classes} (those of failed tests) or {@code count}; the root of
 * the build; the instant at which it began, as older reports do not count.
 */
public final class TestReports {

    private static final int MAX_DEPTH = 5;
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
    private int tests;
    private int skipped;

    private TestReports(Path root, Instant since) throws IOException, XMLStreamException {
        List<Path> reports;
        try (Stream<Path> files = Files.find(
                root,
                MAX_DEPTH,
                (path, attributes) -> isReport(path)
                        && !attributes.lastModifiedTime().toInstant().isBefore(since))) {
            reports = files.sorted().toList();
        }
        for (Path report : reports) {
            read(report);
        }
    }

    private static boolean isReport(Path path) {
        return path.toString().matches(".*/surefire-reports/TEST-[^/]*\\.xml");
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
                    }
                    case "skipped" -> skipped++;
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
        String line = reason.replaceAll("\\s+", " ");
        return line.length() <= MAX_REASON_LENGTH ? line : line.substring(0, MAX_REASON_LENGTH) + " ...";
    }

    private List<Failure> failures(boolean passedLater) {
        return failures.stream()
                .filter(failure -> failure.passedLater() == passedLater)
                .toList();
    }

    private List<String> lines(String question) {
        return switch (question) {
            case "flaky" -> failures(true).stream().map(Failure::line).toList();
            case "failed" ->
                failures(false).stream()
                        .flatMap(failure -> Stream.concat(Stream.of(failure.line()), failure.frames().stream()))
                        .toList();
            case "classes" ->
                failures(false).stream().map(Failure::className).distinct().toList();
            case "count" -> List.of(tests + (skipped == 0 ? "" : ", " + skipped + " skipped"));
            default -> throw new IllegalArgumentException(question + " (expected: flaky, failed, classes or count)");
        };
    }

    /** Prints a line for each test or class. */
    public static void main(String[] arguments) throws IOException, XMLStreamException {
        TestReports reports = new TestReports(Path.of(arguments[1]), Instant.parse(arguments[2]));
        List<String> lines = reports.lines(arguments[0]);
        if (arguments[0].equals("flaky") && !lines.isEmpty()) {
            System.out.println("passed only when repeated, which is a defect of the test or of what it tests:");
        }
        lines.forEach(System.out::println);
    }
}
