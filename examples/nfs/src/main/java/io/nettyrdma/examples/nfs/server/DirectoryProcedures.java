// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Listing directories in pieces. Entries come in the order of their cookies, which depend on the names alone, so the
 * next piece starts behind the last one whatever has changed in between, and even after a restart.
 */
final class DirectoryProcedures {

    private static final long THIS = 1;
    private static final long ABOVE = 2;

    /** Longest result, in octets, whatever the client has room for. */
    private static final int MAX_RESULT_BYTES = 256 << 10;

    /** No entry follows, and whether that is the end. */
    private static final int END_BYTES = 8;

    private DirectoryProcedures() {}

    private record Entry(long cookie, Path name, byte[] octets) {

        static final Entry[] DOTS = {
            new Entry(THIS, Path.of("."), new byte[] {'.'}), new Entry(ABOVE, Path.of(".."), new byte[] {'.', '.'})
        };

        /** What counts against a client's {@code dircount}: name, cookie and fileid. */
        int nameBytes() {
            return Integer.BYTES + octets.length + Xdr.pad(octets.length) + 2 * Long.BYTES;
        }
    }

    static void readdir(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            long cookie = readCookie(call);
            long maxBytes = call.in.readUnsignedInt();
            list(call, directory, cookie, Long.MAX_VALUE, maxBytes, false);
        }
    }

    static void readdirplus(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            long cookie = readCookie(call);
            long maxNameBytes = call.in.readUnsignedInt();
            long maxBytes = call.in.readUnsignedInt();
            list(call, directory, cookie, maxNameBytes, maxBytes, true);
        }
    }

    private static long readCookie(NfsCall call) throws NfsException, GarbageException {
        long cookie = call.in.readLong();
        long verifier = call.in.readLong();
        if (cookie != 0 && verifier != call.store.cookieVerifier()) {
            throw new NfsException(Nfs3Status.BAD_COOKIE); // of another export or another key
        }
        return cookie;
    }

    private static void list(
            NfsCall call, OpenDirectory directory, long cookie, long maxNameBytes, long maxBytes, boolean plus)
            throws IOException, NfsException {
        call.identity.require(directory.attributes(), Identity.READ);
        ByteBuf out = call.out;
        int limit = out.writerIndex() + (int) Math.min(maxBytes, MAX_RESULT_BYTES) - END_BYTES;
        Results.postOp(out, directory.attributes());
        out.writeLong(call.store.cookieVerifier());
        long nameBytes = 0;
        int count = 0;
        boolean end = true;
        for (Entry entry : entries(call.store, directory, cookie)) {
            int start = out.writerIndex();
            nameBytes += entry.nameBytes();
            if (!write(call, directory, entry, plus)) {
                continue;
            }
            if (out.writerIndex() > limit || nameBytes > maxNameBytes && count > 0) {
                out.writerIndex(start);
                end = false;
                break;
            }
            count++;
        }
        if (count == 0 && !end) {
            throw new NfsException(Nfs3Status.TOOSMALL);
        }
        out.writeInt(0).writeInt(end ? 1 : 0);
        call.note(count + (end ? " entries, the last" : " entries"));
    }

    /** What comes after a cookie. */
    private static List<Entry> entries(LocalStore store, OpenDirectory directory, long cookie) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Entry dots : Entry.DOTS) {
            if (dots.cookie > cookie) {
                entries.add(dots);
            }
        }
        int sorted = entries.size();
        for (Path name : directory.names()) {
            byte[] octets = FileNames.octets(name);
            Entry entry = new Entry(store.cookie(octets), name, octets);
            if (entry.cookie > cookie) {
                entries.add(entry);
            }
        }
        entries.subList(sorted, entries.size()).sort(Comparator.comparingLong(Entry::cookie));
        return entries;
    }

    /** Writes an entry; not one that was removed meanwhile, by somebody on the host. */
    private static boolean write(NfsCall call, OpenDirectory directory, Entry entry, boolean plus)
            throws IOException, NfsException {
        @Nullable Node node = null;
        final HostAttributes attributes;
        if (entry.cookie == THIS || entry.cookie == ABOVE) {
            node = entry.cookie == THIS ? directory.node() : NameProcedures.above(call, directory.node());
            Located found = call.store.locate(node);
            attributes = found.attributes();
        } else {
            @Nullable HostAttributes found = directory.find(entry.name);
            if (found == null) {
                return false;
            }
            attributes = found;
        }
        ByteBuf out = call.out;
        out.writeInt(1).writeLong(Results.fileId(attributes));
        Xdr.writeOpaque(out, entry.octets);
        out.writeLong(entry.cookie);
        if (plus) {
            Results.postOp(out, attributes);
            Results.postOpHandle(out, node == null ? call.store.bind(directory, entry.name, attributes) : node);
        }
        return true;
    }
}
