// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.Export.Entry;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
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

    private final Listing.Kept kept = new Listing.Kept(MAX_NAMES_OF_LISTING);

    /** Differs between starts, so that nobody can choose names whose cookies are equal. */
    private final long seed = new SecureRandom().nextLong();

    void readdir(NfsCall call) throws IOException, NfsException, GarbageException {
        Node directory = call.readNode();
        long cookie = readCookie(call);
        list(call, directory, cookie, Long.MAX_VALUE, call.in.readUnsignedInt(), false);
    }

    void readdirplus(NfsCall call) throws IOException, NfsException, GarbageException {
        Node directory = call.readNode();
        long cookie = readCookie(call);
        long maxNameBytes = call.in.readUnsignedInt();
        list(call, directory, cookie, maxNameBytes, call.in.readUnsignedInt(), true);
    }

    private long readCookie(NfsCall call) throws NfsException, GarbageException {
        long cookie = call.in.readLong();
        long verifier = call.in.readLong();
        if (cookie != 0 && verifier != seed) {
            throw new NfsException(Nfs3Status.BAD_COOKIE); // of an earlier start
        }
        return cookie;
    }

    private void list(NfsCall call, Node directory, long cookie, long maxNameBytes, long maxBytes, boolean plus)
            throws IOException, NfsException {
        HostFile attributes = call.directorySubject(directory);
        Listing listing = Listing.of(call.export, kept, directory, cookie, seed);
        int limit = call.out.writerIndex() + (int) Math.min(maxBytes, MAX_RESULT_BYTES) - END_BYTES;
        call.writePostOp(attributes);
        call.out.writeLong(seed);
        Page page = new Page(call, plus, limit, maxNameBytes);
        boolean end = true;
        for (long dots = cookie + 1; end && dots <= ABOVE; dots++) {
            Node node = dots == THIS ? directory : NameProcedures.above(call, directory);
            Entry entry = new Entry(call.export.attributes(node), node);
            end = page.add(entry, ".".repeat((int) dots).getBytes(StandardCharsets.US_ASCII), dots);
        }
        for (int i = listing.indexBehind(cookie); end && i < listing.names().length; i++) {
            Listing.Name name = listing.names()[i];
            // A handle must not cost another client one of its own; it may look this entry up.
            @Nullable
            Entry entry = plus
                    ? call.export.lookup(directory, FileNames.path(name.octets()), false)
                    : found(call.export.find(directory, FileNames.path(name.octets())));
            // An entry that was removed meanwhile has no place in the page.
            end = entry == null || page.add(entry, name.octets(), name.cookie());
        }
        end &= listing.reachesEnd();
        if (page.count == 0 && !end) {
            throw new NfsException(Nfs3Status.TOOSMALL);
        }
        call.out.writeInt(0).writeInt(end ? 1 : 0);
    }

    private static @Nullable Entry found(@Nullable HostFile file) {
        return file == null ? null : new Entry(file, null);
    }

    /** The entries of one result. */
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

        /** Returns whether there was room. */
        boolean add(Entry entry, byte[] octets, long cookie) {
            ByteBuf out = call.out;
            int start = out.writerIndex();
            out.writeInt(1).writeLong(entry.file().attributes().fileId());
            Xdr.writeOpaque(out, octets);
            out.writeLong(cookie);
            nameBytes += out.writerIndex() - start - Integer.BYTES; // fileid, name and cookie: dircount
            if (plus) {
                call.writePostOp(entry.file());
                call.writePostOpHandle(entry.node());
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
