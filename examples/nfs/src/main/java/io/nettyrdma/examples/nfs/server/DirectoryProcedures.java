// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Listing directories in pages. A page reads the attributes of the entries that it holds, and no lock is held for a
 * page.
 *
 * <p>Threading: any thread.
 */
final class DirectoryProcedures {

    private static final long THIS = 1;
    private static final long ABOVE = 2;

    /** Longest result, in bytes, whatever the client has room for. */
    private static final int MAX_RESULT_BYTES = 256 << 10;

    /** No entry follows, and whether that is the end. */
    private static final int END_BYTES = 8;

    private static final int MAX_NAMES_OF_LISTING = 100_000;

    /** Differs between starts, so that nobody can choose names whose cookies are equal. */
    private final long seed = new SecureRandom().nextLong();

    private final Listing.Kept kept = new Listing.Kept(MAX_NAMES_OF_LISTING, seed);

    /** @param plus whether entries have attributes and handles */
    void readdir(NfsCall call, boolean plus) throws IOException {
        Node directory = call.readNode();
        long cookie = call.in.readLong();
        long verifier = call.in.readLong();
        if (cookie != 0 && verifier != seed) {
            throw new NfsException(Nfs3Status.BAD_COOKIE); // of an earlier start
        }
        long maxNameBytes = plus ? call.in.readUnsignedInt() : Long.MAX_VALUE;
        int maxBytes = (int) Math.min(call.in.readUnsignedInt(), MAX_RESULT_BYTES);
        HostFile attributes = call.directorySubject(directory);
        Page page = new Page(call, plus, call.out.writerIndex() + maxBytes - END_BYTES, maxNameBytes);
        Listing listing = kept.get(call.export, directory, cookie);
        call.writePostOp(attributes);
        call.out.writeLong(seed);
        boolean isEnd = cookie >= THIS || page.add(new byte[] {'.'}, THIS, attributes, directory);
        if (isEnd && cookie < ABOVE) {
            Node above = NameProcedures.above(directory);
            isEnd = page.add(new byte[] {'.', '.'}, ABOVE, call.export.attributes(above), above);
        }
        for (Map.Entry<Long, byte[]> name : listing.behind(cookie).entrySet()) {
            isEnd = isEnd && page.add(name.getValue(), name.getKey(), directory);
            if (!isEnd) {
                break;
            }
        }
        isEnd &= listing.reachesEnd();
        if (page.count == 0 && !isEnd) {
            throw new NfsException(Nfs3Status.TOOSMALL);
        }
        call.out.writeInt(0).writeInt(isEnd ? 1 : 0);
    }

    /** The entries of one result, which ends at an index of the buffer. */
    private static final class Page {

        private final NfsCall call;
        private final boolean plus;
        private final int limit;
        private final long maxNameBytes;
        private long nameBytes;
        int count;

        Page(NfsCall call, boolean plus, int limit, long maxNameBytes) {
            this.call = call;
            this.plus = plus;
            this.limit = limit;
            this.maxNameBytes = maxNameBytes;
        }

        /** Adds an entry if it still is there; returns whether there was room. */
        boolean add(byte[] octets, long cookie, Node directory) throws IOException {
            Location location = new Location(directory, FileNames.path(octets));
            directory.lock.lock(); // so that no client renames it in between
            try {
                @Nullable HostFile file = call.export.find(location);
                // A handle must not cost another client one of its own; it may look this entry up.
                return file == null
                        || add(octets, cookie, file, plus ? call.export.table.bind(location, file, false) : null);
            } finally {
                directory.lock.unlock();
            }
        }

        boolean add(byte[] octets, long cookie, HostFile file, @Nullable Node node) {
            ByteBuf out = call.out;
            int start = out.writerIndex();
            out.writeInt(1).writeLong(file.attributes().fileId());
            Xdr.writeOpaque(out, octets);
            out.writeLong(cookie);
            nameBytes += out.writerIndex() - start - Integer.BYTES; // fileid, name and cookie: dircount
            if (plus) {
                call.writePostOp(file);
                call.writePostOpHandle(node);
            }
            if (out.writerIndex() > limit || nameBytes > maxNameBytes && count > 0) {
                out.writerIndex(start);
                return false;
            }
            count++;
            return true;
        }
    }
}
