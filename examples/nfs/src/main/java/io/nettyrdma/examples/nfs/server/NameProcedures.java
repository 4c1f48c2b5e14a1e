// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import io.nettyrdma.examples.nfs.server.LocalStore.Pinned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Looking names up, and taking, changing and adding names of objects that exist. */
final class NameProcedures {

    private static final Path THIS = Path.of(".");
    private static final Path ABOVE = Path.of("..");

    private NameProcedures() {}

    static boolean isDots(Path name) {
        return name.equals(THIS) || name.equals(ABOVE);
    }

    static void lookup(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = call.in.readName();
            call.note(name);
            call.identity.require(directory.attributes(), Identity.EXECUTE);
            final Node node;
            final HostAttributes attributes;
            if (isDots(name)) {
                Node wanted = name.equals(THIS) ? directory.node() : above(call, directory.node());
                Located found = call.store.locate(wanted);
                node = found.node();
                attributes = found.attributes();
            } else {
                attributes = directory.entry(name);
                node = call.store.bind(directory, name, attributes);
            }
            Xdr.writeOpaque(call.out, node.handle());
            Results.postOp(call.out, attributes);
            Results.postOp(call.out, directory.attributes());
        }
    }

    /** The directory a directory is in; nothing is above the root of the export. */
    static Node above(NfsCall call, Node directory) throws NfsException, IOException {
        Node root = call.store.table().root();
        if (directory == root) {
            return root;
        }
        LocalStore.Located located = call.store.locate(directory);
        return located.location() == null ? root : located.location().directory();
    }

    static void readlink(NfsCall call) throws IOException, NfsException, GarbageException {
        Located link = call.readObject();
        if (!link.attributes().isSymbolicLink()) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        Path name = LocalStore.nameIn(link);
        final Path target;
        try (OpenDirectory directory = call.store.openParent(link)) {
            target = Files.readSymbolicLink(directory.path(name));
            if (!link.node().is(directory.entry(name))) {
                throw new NfsException(Nfs3Status.STALE);
            }
        }
        Results.postOp(call.out, link.attributes());
        Xdr.writeOpaque(call.out, FileNames.octets(target));
    }

    static void remove(NfsCall call) throws IOException, NfsException, GarbageException {
        delete(call, false);
    }

    static void rmdir(NfsCall call) throws IOException, NfsException, GarbageException {
        delete(call, true);
    }

    private static void delete(NfsCall call, boolean directories) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = call.in.readName();
            call.note(name);
            if (isDots(name)) {
                throw new NfsException(name.equals(THIS) ? Nfs3Status.INVAL : Nfs3Status.EXIST);
            }
            HostAttributes entry = directory.entry(name);
            call.identity.requireRemovable(directory.attributes(), entry);
            if (entry.isDirectory() != directories) {
                throw new NfsException(directories ? Nfs3Status.NOTDIR : Nfs3Status.ISDIR);
            }
            call.syncDirectory(directory);
            directory.delete(name);
            call.store.unbind(directory, name, entry);
            call.writeWcc(0);
        }
    }

    static void rename(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory from = call.readDirectory()) {
            Path fromName = call.in.readName();
            call.note(fromName);
            call.note("to");
            try (OpenDirectory to = call.readDirectory()) {
                Path toName = call.in.readName();
                call.note(toName);
                move(call, from, fromName, to, toName);
                call.writeWcc(0);
                call.writeWcc(1);
            }
        }
    }

    private static void move(NfsCall call, OpenDirectory from, Path fromName, OpenDirectory to, Path toName)
            throws IOException, NfsException {
        if (isDots(fromName) || isDots(toName)) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        HostAttributes moved = from.entry(fromName);
        @Nullable HostAttributes replaced = to.find(toName);
        call.identity.requireRemovable(from.attributes(), moved);
        if (moved.isDirectory() && from.node() != to.node()) {
            call.identity.require(moved, Identity.WRITE); // its entry ".." changes
        }
        if (replaced == null) {
            if (to.hides(toName) || toName.equals(StagingDirectory.NAME)) {
                throw new NfsException(Nfs3Status.ACCES);
            }
            call.identity.require(to.attributes(), Identity.WRITE | Identity.EXECUTE);
        } else {
            call.identity.requireRemovable(to.attributes(), replaced);
            if (replaced.fileKey().equals(moved.fileKey())) {
                return; // two names of one file: both stay (RFC 1813, section 3.3.14)
            }
            if (replaced.isDirectory() != moved.isDirectory()) {
                throw new NfsException(replaced.isDirectory() ? Nfs3Status.ISDIR : Nfs3Status.NOTDIR);
            }
        }
        call.syncDirectory(from);
        call.syncDirectory(to);
        Node node = call.store.bind(from, fromName, moved);
        from.move(fromName, to, toName);
        if (replaced != null) {
            call.store.unbind(to, toName, replaced);
        }
        // Bound first: were the server killed in between, the handle would have one name too many, not none.
        call.store.table().bind(to.node(), toName, moved);
        call.store.table().unbind(node, from.node(), fromName);
    }

    static void link(NfsCall call) throws IOException, NfsException, GarbageException {
        Located file = call.readObject();
        call.note("as");
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = call.in.readName();
            call.note(name);
            if (isDots(name)) {
                throw new NfsException(Nfs3Status.EXIST);
            }
            if (file.attributes().isDirectory()) {
                throw new NfsException(Nfs3Status.ISDIR);
            }
            CreateProcedures.requireFree(call, directory, name);
            call.syncDirectory(directory);
            try (Pinned pinned = call.store.pin(file)) {
                call.store.staging(directory).place(pinned.path(), directory, name);
            }
            HostAttributes made = directory.entry(name);
            call.store.bind(directory, name, made);
            call.writePostOp(0);
            call.writeWcc(1);
        }
    }
}
