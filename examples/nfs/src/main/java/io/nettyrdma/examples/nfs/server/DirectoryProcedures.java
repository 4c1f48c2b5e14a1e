// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Listing directories in pages. A page reads the attributes of the entries that it holds.
 *
 * <p>Threading: any thread; no lock is held while a directory is read.
 */
final class DirectoryProcedures {

    private static final long THIS = 1;
    private static final long ABOVE = 2;

    private static final int MAX_RESULT_BYTES = 256 << 10;
    private static final int END_BYTES = 8; // no entry follows, and whether that is the end
    private static final int KEEP_SECONDS = 60;
    /** Of one listing, and so of each that a worker is making. */
    private static final int LISTING_BYTES = 1 << 20;
    /** That a name takes besides its octets, roughly. */
    private static final int NAME_BYTES = 130;

    private static final int ALL_LISTINGS = 16;

    /**
     * Names of a directory behind a cookie, by their cookies, and whether these are all. A cookie depends on the name
     * only: the next page starts behind the last one, even if the directory has changed or the listing is not kept.
     */
    record Listing(TreeMap<Long, byte[]> names, int bytes, boolean reachesEnd, long madeNanos) {}

    /** Those under way, the one unused longest first. */
    private final Map<Node, Listing> kept = new LinkedHashMap<>(16, 0.75f, true);

    private final int listingBytes;
    private final long seed;
    private int keptBytes;

    /** @param seed differs between starts, so that nobody can choose names whose cookies are equal */
    DirectoryProcedures(long seed) {
        this(LISTING_BYTES, seed);
    }

    DirectoryProcedures(int listingBytes, long seed) {
        this.listingBytes = listingBytes;
        this.seed = seed;
    }

    /** @param plus whether entries have attributes and handles */
    void readdir(NfsCall call, boolean plus) throws IOException {
        Node directory = call.readNode();
        long cookie = call.in.readLong();
        long verifier = call.in.readLong();
        if (cookie != 0 && verifier != seed) {
            throw new NfsException(Nfs3Status.BAD_COOKIE); // of an earlier start
        }
        call.in.skipBytes(plus ? Integer.BYTES : 0); // dircount, a hint
        int maxBytes = (int) Math.min(call.in.readUnsignedInt(), MAX_RESULT_BYTES);
        HostFile attributes = call.directorySubject(directory);
        Page page = new Page(call, plus, call.out.writerIndex() + maxBytes - END_BYTES);
        Listing listing = listing(call.export, directory, cookie);
        call.writePostOp(attributes);
        int start = call.out.writeLong(seed).writerIndex();
        boolean isEnd = cookie >= THIS || page.add(new byte[] {'.'}, THIS, attributes, directory);
        if (isEnd && cookie < ABOVE) {
            Node above = NameProcedures.above(directory);
            isEnd = page.add(new byte[] {'.', '.'}, ABOVE, call.export.attributes(above), above);
        }
        isEnd = isEnd && page.addAll(listing.names.tailMap(cookie, false), directory) && listing.reachesEnd();
        if (call.out.writerIndex() == start && !isEnd) {
            throw new NfsException(Nfs3Status.TOOSMALL);
        }
        call.out.writeInt(0).writeInt(isEnd ? 1 : 0);
    }

    /** The entries of one result, which ends at an index of the buffer. */
    private record Page(NfsCall call, boolean plus, int limit) {

        /** Adds the entries that still are there; returns whether there was room for all. */
        boolean addAll(Map<Long, byte[]> names, Node directory) throws IOException {
            return call.export.at(directory, path -> {
                for (Map.Entry<Long, byte[]> name : names.entrySet()) {
                    if (!add(name.getValue(), name.getKey(), directory, path)) {
                        return false;
                    }
                }
                return true;
            });
        }

        private boolean add(byte[] octets, long cookie, Node directory, Path path) throws IOException {
            Location location = new Location(directory, FileNames.path(octets));
            try {
                HostFile file = HostFile.of(path.resolve(location.name()));
                // A handle must not cost another client one of its own; it may look this entry up.
                return add(octets, cookie, file, plus ? call.export.table.bindIfRoom(location, file) : null);
            } catch (NoSuchFileException e) {
                return true;
            }
        }

        boolean add(byte[] octets, long cookie, HostFile file, @Nullable Node node) {
            ByteBuf out = call.out;
            int start = out.writerIndex();
            out.writeInt(1).writeLong(file.attributes().fileId());
            Xdr.writeOpaque(out, octets);
            out.writeLong(cookie);
            if (plus) {
                call.writePostOp(file);
                call.writePostOpHandle(node);
            }
            boolean hasRoom = out.writerIndex() <= limit;
            out.writerIndex(hasRoom ? out.writerIndex() : start);
            return hasRoom;
        }
    }

    /** Returns the listing that continues behind a cookie; 0 begins anew. */
    Listing listing(Export export, Node directory, long cookie) throws IOException {
        @Nullable Listing known = cookie == 0 ? null : find(directory);
        if (known == null || !known.reachesEnd && known.names.higherKey(cookie) == null) {
            known = read(export, directory, cookie);
            keep(directory, known);
        }
        return known;
    }

    private synchronized @Nullable Listing find(Node directory) {
        @Nullable Listing known = kept.get(directory);
        boolean isOld = known != null && System.nanoTime() - known.madeNanos > TimeUnit.SECONDS.toNanos(KEEP_SECONDS);
        return isOld ? null : known;
    }

    private synchronized void keep(Node directory, Listing made) {
        drop(directory);
        while (!kept.isEmpty() && keptBytes + made.bytes > ALL_LISTINGS * listingBytes) {
            drop(kept.keySet().iterator().next());
        }
        kept.put(directory, made);
        keptBytes += made.bytes;
    }

    private void drop(Node directory) {
        @Nullable Listing dropped = kept.remove(directory);
        keptBytes -= dropped == null ? 0 : dropped.bytes;
    }

    private Listing read(Export export, Node directory, long behind) throws IOException {
        TreeMap<Long, byte[]> names = new TreeMap<>();
        int bytes = NAME_BYTES; // of an empty listing
        boolean reachesEnd = true;
        try (DirectoryStream<Path> stream = export.directory(directory)) {
            for (Path entry : stream) {
                byte[] octets = FileNames.octets(entry.getFileName());
                long cookie = cookie(octets);
                if (cookie > behind && names.put(cookie, octets) == null) {
                    bytes += NAME_BYTES + octets.length;
                }
                while (bytes > listingBytes && names.size() > 1) { // the first ones are the next to be asked for
                    bytes -= NAME_BYTES + names.pollLastEntry().getValue().length;
                    reachesEnd = false;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return new Listing(names, bytes, reachesEnd, System.nanoTime());
    }

    private long cookie(byte[] octets) {
        long hash = seed;
        for (byte octet : octets) {
            hash = (hash ^ octet) * 0x9e37_79b9_7f4a_7c15L;
            hash ^= hash >>> 32;
        }
        return Math.max(ABOVE + 1, hash >>> 1);
    }
}
