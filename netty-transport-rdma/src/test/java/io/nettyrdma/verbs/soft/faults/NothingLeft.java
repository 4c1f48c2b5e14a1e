// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.SoftProvider;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Checks that nothing is left: as an extension, that a test has closed every socket and selector it has opened (as far
 * as the system shows them, which Linux does); by {@link #of}, that a provider has no object of verbs left.
 */
public final class NothingLeft implements BeforeEachCallback, AfterEachCallback {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(NothingLeft.class);

    /** Waits until the provider has no event channel, id, queue pair, queue, domain, region or connection left. */
    public static void of(SoftProvider provider) {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        while (!provider.openResources().equals(SoftProvider.OpenResources.NONE)) {
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError("left over: " + provider.openResources());
            }
            Thread.onSpinWait();
        }
    }

    /** Open sockets and selectors of this process by kind; empty where the system does not tell. */
    public static Map<String, Integer> descriptors() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        if (!Files.isDirectory(DESCRIPTORS)) {
            return counts;
        }
        try (Stream<Path> links = Files.list(DESCRIPTORS)) {
            links.forEach(link -> {
                String kind = kind(link);
                if (kind.startsWith("socket:") || kind.startsWith("anon_inode:")) {
                    counts.merge(kind.replaceFirst("\\[\\d+]", ""), 1, Integer::sum);
                }
            });
        }
        return counts;
    }

    private static String kind(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            // The descriptor of the listing itself, or one that another thread has closed meanwhile.
            return "";
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        // The first socket and the first selector of a JVM open descriptors that stay.
        Selector.open().close();
        SocketChannel.open().close();
        context.getStore(NAMESPACE).put("before", descriptors());
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Object before = context.getStore(NAMESPACE).get("before");
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        // What event loops of an earlier test still had open may go meanwhile, so fewer are fine.
        while (!isWithin(descriptors(), before)) {
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError("descriptors before the test: " + before + ", after: " + descriptors());
            }
            Thread.onSpinWait();
        }
    }

    private static boolean isWithin(Map<String, Integer> after, Object before) {
        return after.entrySet().stream()
                .allMatch(e ->
                        before instanceof Map<?, ?> m && m.get(e.getKey()) instanceof Integer n && e.getValue() <= n);
    }
}
