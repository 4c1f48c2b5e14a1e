// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests over a device of the kernel that are in some packages or classes, for programs that have one: the
 * Linux lab's guest. What channels promise is in this package. Start it with
 * {@code -Dio.nettyrdma.provider=native -Dtest.over=siw -Dtest.address=ADDRESS -Dtest.address6=ADDRESS}, or with
 * {@code rxe}, and the addresses of the device.
 */
public final class KernelContracts {

    private KernelContracts() {}

    /** Of a class if its last part begins as names of classes do. */
    private static DiscoverySelector selector(String name) {
        return Character.isUpperCase(name.charAt(name.lastIndexOf('.') + 1))
                ? DiscoverySelectors.selectClass(name)
                : DiscoverySelectors.selectPackage(name);
    }

    /**
     * Ends with status 0 if all tests that ran have passed, and prints how many those were.
     *
     * @param names of packages, or of classes; this package if there is none
     */
    public static void main(String... names) {
        List<String> selected = names.length == 0 ? List.of(KernelContracts.class.getPackageName()) : List.of(names);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selected.stream().map(KernelContracts::selector).toList())
                .configurationParameter(
                        ClassOrderer.DEFAULT_ORDER_PROPERTY_NAME, ClassOrderer.OrderAnnotation.class.getName())
                .filters(includeClassNamePatterns(".*Test"), TagFilter.includeTags("native", "contract"))
                .build();
        System.out.println(Rdma.report());
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        SecondsByClass seconds = new SecondsByClass();
        LauncherFactory.create().execute(request, listener, seconds);
        TestExecutionSummary summary = listener.getSummary();
        PrintWriter out = new PrintWriter(System.out, true);
        summary.printFailuresTo(out, 20);
        out.printf(
                "%d passed, %d not for this device, %d failed%n",
                summary.getTestsSucceededCount(),
                summary.getTestsAbortedCount() + summary.getTestsSkippedCount(),
                summary.getTotalFailureCount());
        out.println(seconds);
        System.exit(summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0 ? 0 : 1);
    }

    /** How long each class takes of which a test has passed: minutes in a guest are few. */
    private static final class SecondsByClass implements TestExecutionListener {

        private final Map<String, Long> startedNanos = new ConcurrentHashMap<>();
        private final Map<String, Long> seconds = new ConcurrentHashMap<>();
        private final Set<String> passed = ConcurrentHashMap.newKeySet();

        @Override
        public void executionStarted(TestIdentifier test) {
            startedNanos.put(test.getUniqueId(), System.nanoTime());
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            TestSource source = test.getSource().orElse(null);
            if (test.isTest()
                    && source instanceof MethodSource method
                    && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                passed.add(method.getClassName());
            } else if (source instanceof ClassSource type && passed.contains(type.getClassName())) {
                long nanos = System.nanoTime() - startedNanos.get(test.getUniqueId());
                seconds.put(test.getDisplayName(), TimeUnit.NANOSECONDS.toSeconds(nanos));
            }
        }

        @Override
        public String toString() {
            return seconds.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                    .map(entry -> entry.getKey() + ' ' + entry.getValue())
                    .collect(Collectors.joining(", ", "seconds: ", ""));
        }
    }
}
