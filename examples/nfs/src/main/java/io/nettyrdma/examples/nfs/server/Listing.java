// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Names of a directory behind a cookie, in bytes and in the order of their cookies. A cookie depends on the name only.
 * So the next page starts behind the last one whatever has changed in between, and even if the server has to list the
 * directory again.
 *
 * @param reachesEnd whether these are all
 */
record Listing(TreeMap<Long, byte[]> names, boolean reachesEnd, long madeNanos) {

    /** Cookies below are for "." and "..". */
    private static final long FIRST_COOKIE = 3;

    SortedMap<Long, byte[]> behind(long cookie) {
        return names.tailMap(cookie, false);
    }

    private boolean isOfUse(long cookie) {
        return System.nanoTime() - madeNanos < TimeUnit.SECONDS.toNanos(Kept.SECONDS)
                && (reachesEnd || names.higherKey(cookie) != null);
    }

    /**
     * The listings under way: {@value #MAX_LISTINGS} at most, each of use for {@value #SECONDS} seconds. A page of a
     * listing that is not kept lists its directory again.
     *
     * <p>Threading: any thread; the object's monitor guards all state, but no directory is read under it.
     */
    static final class Kept {

        private static final int MAX_LISTINGS = 64;
        private static final int SECONDS = 60;

        /** The one unused longest first. */
        private final Map<Node, Listing> kept = new LinkedHashMap<>(16, 0.75f, true);

        private final int maxNames;
        private final long seed;
        private int count;

        /**
         * None.
         *
         * @param maxNames names of one listing, about 130 bytes each; all listings have twice as many at most
         * @param seed     of the cookies
         */
        Kept(int maxNames, long seed) {
            this.maxNames = maxNames;
            this.seed = seed;
        }

        /** The listing that continues behind a cookie; 0 begins anew. */
        Listing get(Export export, Node directory, long cookie) throws IOException {
            @Nullable Listing known = cookie == 0 ? null : find(directory);
            if (known != null && known.isOfUse(cookie)) {
                return known;
            }
            Listing made = read(export, directory, cookie);
            put(directory, made);
            return made;
        }

        private synchronized @Nullable Listing find(Node directory) {
            return kept.get(directory);
        }

        private synchronized void put(Node directory, Listing made) {
            remove(directory);
            while (!kept.isEmpty() && (kept.size() >= MAX_LISTINGS || count + made.names.size() > 2 * maxNames)) {
                remove(kept.keySet().iterator().next());
            }
            kept.put(directory, made);
            count += made.names.size();
        }

        private void remove(Node directory) {
            @Nullable Listing removed = kept.remove(directory);
            count -= removed == null ? 0 : removed.names.size();
        }

        private Listing read(Export export, Node directory, long behind) throws IOException {
            TreeMap<Long, byte[]> names = new TreeMap<>();
            boolean isWhole = true;
            try (DirectoryStream<Path> stream = export.directory(directory)) {
                for (Path entry : stream) {
                    byte[] octets = FileNames.octets(entry.getFileName());
                    long cookie = cookie(octets);
                    if (cookie > behind) {
                        names.put(cookie, octets);
                    }
                    if (names.size() > maxNames) { // the first ones are the next to be asked for
                        names.pollLastEntry();
                        isWhole = false;
                    }
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
            return new Listing(names, isWhole, System.nanoTime());
        }

        private long cookie(byte[] octets) {
            long hash = seed;
            for (byte octet : octets) {
                hash = (hash ^ octet) * 0x9e37_79b9_7f4a_7c15L;
                hash ^= hash >>> 32;
            }
            return Math.max(FIRST_COOKIE, hash >>> 1);
        }
    }
}
