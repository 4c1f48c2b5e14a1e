// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.examples.nfs.protocol.CreateMode;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.FileProcedures.ToSet;
import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Names of files, directories and symbolic links: finding, making, changing and removing them. */
final class NameProcedures {

    private static final Path THIS = Path.of(".");
    private static final Path ABOVE = Path.of("..");
    private static final Set<OpenOption> NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private NameProcedures() {}

    private static boolean isDots(Path name) {
        return name.equals(THIS) || name.equals(ABOVE);
    }

    static void lookup(NfsCall call) throws IOException {
        Node directory = call.readNode();
        HostFile attributes = call.directorySubject(directory);
        Path name = FileNames.readName(call.in);
        Location place = new Location(directory, name);
        Node found = isDots(name) ? name.equals(ABOVE) ? above(directory) : directory : call.export.bind(place);
        Xdr.writeOpaque(call.out, call.export.table.handle(found));
        call.writePostOp(call.export.attributes(found));
        call.writePostOp(attributes);
    }

    /** The directory that a directory is in; nothing is above the root of the export. */
    static Node above(Node directory) {
        @Nullable Location location = directory.location;
        return location == null ? directory : location.directory();
    }

    static void readlink(NfsCall call) throws IOException {
        Node node = call.readNode();
        HostFile link = call.subject(node);
        if (!link.is(FileType.SYMBOLIC_LINK)) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        Path target = call.export.at(node, Files::readSymbolicLink);
        call.writePostOp(link);
        Xdr.writeOpaque(call.out, FileNames.octets(target));
    }

    /** Reads a directory, and a name in it that is to be changed. */
    private static Location readPlace(NfsCall call) throws IOException {
        Node directory = call.readNode();
        call.directorySubject(directory);
        Path name = FileNames.readName(call.in);
        if (isDots(name)) {
            throw new NfsException(Nfs3Status.EXIST);
        }
        return new Location(directory, name);
    }

    static void create(NfsCall call) throws IOException {
        Location place = readPlace(call);
        @Nullable CreateMode how = CreateMode.of(call.in.readInt());
        if (how == null) {
            throw new CorruptedFrameException("createmode3");
        }
        if (how == CreateMode.EXCLUSIVE) {
            throw new NfsException(Nfs3Status.NOTSUPP); // Java keeps no verifier; clients go on with GUARDED
        }
        ToSet toSet = ToSet.read(call.in);
        Optional<HostFile> before = call.export.changing(() -> {
            @Nullable HostFile found = call.export.find(place);
            if (found == null) {
                try (SecureDirectoryStream<Path> directory = call.export.directory(place.directory())) {
                    directory.newByteChannel(place.name(), NEW).close();
                }
                dress(call, place, toSet, 0644);
            }
            return Optional.ofNullable(found);
        });
        @Nullable HostFile existing = before.orElse(null);
        if (existing != null && (how == CreateMode.GUARDED || !existing.is(FileType.REGULAR))) {
            throw new NfsException(Nfs3Status.EXIST);
        }
        if (existing != null) {
            // Of a file that is there, only the length changes (RFC 1813, section 3.3.8).
            Node node = call.export.bind(place);
            call.lock(node);
            ToSet length = new ToSet(null, null, null, toSet.size(), null, null);
            FileProcedures.apply(call, node, existing, length);
        }
        writeMade(call, place);
    }

    /** Gives a new object what the client wants of it, but for the owner. If that fails, nothing is left of it. */
    private static void dress(NfsCall call, Location place, ToSet toSet, int defaultMode) throws IOException {
        HostFile made = call.export.entry(place);
        int mode = toSet.mode() == null ? defaultMode : toSet.mode();
        // A directory has inherited this bit.
        mode |= made.is(FileType.DIRECTORY) ? made.attributes().mode() & 02000 : 0;
        try {
            Node node = call.export.table.bind(place, made);
            ToSet wanted = new ToSet(mode, null, null, toSet.size(), toSet.accessed(), toSet.modified());
            FileProcedures.apply(call, node, made, wanted);
        } catch (IOException e) {
            call.export.remove(place, made);
            throw e;
        }
    }

    static void mkdir(NfsCall call) throws IOException {
        Location place = readPlace(call);
        ToSet toSet = ToSet.read(call.in);
        call.export.changing(() -> {
            call.export.at(place, Files::createDirectory);
            dress(call, place, toSet, 0755);
            return place;
        });
        writeMade(call, place);
    }

    static void symlink(NfsCall call) throws IOException {
        Location place = readPlace(call);
        ToSet.read(call.in);
        Path target = FileNames.path(FileNames.readOctets(call.in, FileNames.MAX_PATH_BYTES));
        call.export.changing(() -> call.export.at(place, path -> Files.createSymbolicLink(path, target)));
        writeMade(call, place);
    }

    /** Java makes no device files, pipes and sockets, so none of the types is supported (RFC 1813, section 3.3.11). */
    static void mknod(NfsCall call) throws IOException {
        readPlace(call);
        throw new NfsException(Nfs3Status.NOTSUPP);
    }

    private static void writeMade(NfsCall call, Location place) throws IOException {
        HostFile made = call.export.entry(place);
        call.writePostOpHandle(call.export.table.bind(place, made));
        call.writePostOp(made);
        call.writeWcc(0);
    }

    static void remove(NfsCall call, boolean isDirectory) throws IOException {
        Location place = readPlace(call);
        call.export.changing(() -> {
            HostFile entry = call.export.entry(place);
            if (entry.is(FileType.DIRECTORY) != isDirectory) {
                throw new NfsException(isDirectory ? Nfs3Status.NOTDIR : Nfs3Status.ISDIR);
            }
            call.export.remove(place, entry);
            return entry;
        });
        call.writeWcc(0);
    }

    static void rename(NfsCall call) throws IOException {
        Location from = new Location(call.readNode(), FileNames.readName(call.in));
        Location to = new Location(call.readNode(), FileNames.readName(call.in));
        call.directorySubject(from.directory());
        call.directorySubject(to.directory());
        if (isDots(from.name()) || isDots(to.name())) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        call.export.changing(() -> move(call, from, to));
        call.writeWcc(0).writeWcc(1);
    }

    private static HostFile move(NfsCall call, Location from, Location to) throws IOException {
        HostFile moved = call.export.entry(from);
        @Nullable HostFile replaced = call.export.find(to);
        if (replaced != null && replaced.key().equals(moved.key())) {
            return moved; // of two names of one file both stay
        }
        boolean isDirectory = moved.is(FileType.DIRECTORY);
        if (replaced != null && replaced.is(FileType.DIRECTORY) != isDirectory) {
            throw new NfsException(isDirectory ? Nfs3Status.NOTDIR : Nfs3Status.ISDIR);
        }
        if (replaced != null && isDirectory && !isEmpty(call, to)) {
            throw new NfsException(Nfs3Status.NOTEMPTY);
        }
        call.export.move(call.export.table.bind(from, moved), from, to);
        if (replaced != null) {
            call.export.onRemoved(to, replaced);
        }
        return moved;
    }

    private static boolean isEmpty(NfsCall call, Location place) throws IOException {
        try (SecureDirectoryStream<Path> directory = call.export.directory(place.directory());
                DirectoryStream<Path> names = directory.newDirectoryStream(place.name(), LinkOption.NOFOLLOW_LINKS)) {
            return !names.iterator().hasNext();
        }
    }

    static void link(NfsCall call) throws IOException {
        Node file = call.readNode();
        HostFile linked = call.subject(file);
        Location place = readPlace(call);
        if (linked.is(FileType.DIRECTORY)) {
            throw new NfsException(Nfs3Status.ISDIR);
        }
        call.export.changing(
                () -> call.export.at(place, path -> call.export.at(file, old -> Files.createLink(path, old))));
        call.export.bind(place);
        call.writePostOp(0).writeWcc(1);
    }
}
