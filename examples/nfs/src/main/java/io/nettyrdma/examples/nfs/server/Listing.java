// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The names of a directory behind a cookie, in the order of their cookies. A cookie depends on the name only. So the
 * next page starts behind the last one whatever has changed in between, and even if the server has to list the
 * directory again.
 *
 * @param reachesEnd whether these are all
 */
record Listing(Name[] names, boolean reachesEnd, long madeNanos) {

    private static final Path THIS = Path.of(".");

    /** Cookies below are for "." and "..". */
    private static final long FIRST_COOKIE = 3;

    /** A name in bytes, and its cookie. */
    record Name(long cookie, byte[] octets) {

        static Name of(byte[] octets, long seed) {
            long hash = seed;
            for (byte octet : octets) {
                hash = (hash ^ octet) * 0x9e37_79b9_7f4a_7c15L;
                hash ^= hash >>> 32;
            }
            return new Name(Math.max(FIRST_COOKIE, hash >>> 1), octets);
        }
    }

    /**
     * The listings under way: {@value #MAX_LISTINGS} at most, each of use for {@value #KEEP_SECONDS} seconds. A page of
     * a listing that is not kept lists its directory again.
     *
     * <p>Threading: any thread; the object's monitor guards all state, but no directory is read under it.
     */
    static final class Kept {

        private static final int MAX_LISTINGS = 64;
        private static final int KEEP_SECONDS = 60;

        /** The one unused longest first. */
        private final Map<Node, Listing> kept = new LinkedHashMap<>(16, 0.75f, true);

        private final int maxNames;

        private int names;

        /** @param maxNames names of one listing, about 100 bytes each; all listings have twice as many at most */
        Kept(int maxNames) {
            this.maxNames = maxNames;
        }

        private synchronized @Nullable Listing get(Node directory, long cookie) {
            @Nullable Listing known = kept.get(directory);
            return known != null
                            && System.nanoTime() - known.madeNanos < TimeUnit.SECONDS.toNanos(KEEP_SECONDS)
                            && known.hasNamesBehind(cookie)
                    ? known
                    : null;
        }

        private synchronized void put(Node directory, Listing made) {
            remove(directory);
            while (!kept.isEmpty() && (kept.size() >= MAX_LISTINGS || names + made.names.length > 2 * maxNames)) {
                remove(kept.keySet().iterator().next());
            }
            kept.put(directory, made);
            names += made.names.length;
        }

        private synchronized void remove(Node directory) {
            @Nullable Listing removed = kept.remove(directory);
            names -= removed == null ? 0 : removed.names.length;
        }
    }

    /** The listing that continues behind a cookie; 0 begins anew. */
    static Listing of(Export export, Kept kept, Node directory, long cookie, long seed)
            throws IOException, NfsException {
        @Nullable Listing known = cookie == 0 ? null : kept.get(directory, cookie);
        if (known == null) {
            known = read(export, directory, cookie, seed, kept.maxNames);
            kept.put(directory, known);
        }
        return known;
    }

    private static Listing read(Export export, Node directory, long cookie, long seed, int maxNames)
            throws IOException, NfsException {
        Name[] names = new Name[16];
        int count = 0;
        boolean all = true;
        try (Held held = export.directory(directory);
                DirectoryStream<Path> stream = held.directory().newDirectoryStream(THIS, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : stream) {
                Name name = Name.of(FileNames.octets(entry.getFileName()), seed);
                if (name.cookie <= cookie) {
                    continue;
                }
                if (count == 2 * maxNames) { // the first half is the next to be asked for
                    sort(names, count);
                    count = maxNames;
                    all = false;
                } else if (count == names.length) {
                    names = Arrays.copyOf(names, Math.min(2 * count, 2 * maxNames));
                }
                names[count++] = name;
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        sort(names, count);
        boolean cut = count > maxNames;
        return new Listing(Arrays.copyOf(names, Math.min(count, maxNames)), all && !cut, System.nanoTime());
    }

    private static void sort(Name[] names, int count) {
        Arrays.sort(names, 0, count, Comparator.comparingLong(Name::cookie));
    }

    private boolean hasNamesBehind(long cookie) {
        return reachesEnd || indexBehind(cookie) < names.length;
    }

    /** The index of the first name behind a cookie. */
    int indexBehind(long cookie) {
        int low = 0;
        int high = names.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (names[middle].cookie <= cookie) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
