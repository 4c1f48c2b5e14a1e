// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.CreateMode;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.Arguments.TimeToSet;
import io.nettyrdma.examples.nfs.server.Arguments.ToSet;
import io.nettyrdma.examples.nfs.server.Export.Entry;
import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import io.nettyrdma.examples.nfs.server.OpenFiles.Kind;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Names of files, directories and symbolic links: finding, making, changing and removing them. */
final class NameProcedures {

    private static final Path THIS = Path.of(".");
    private static final Path ABOVE = Path.of("..");
    private static final int DEFAULT_FILE_MODE = 0644;
    private static final int DEFAULT_DIRECTORY_MODE = 0755;

    private NameProcedures() {}

    static boolean isDots(Path name) {
        return name.equals(THIS) || name.equals(ABOVE);
    }

    static void lookup(NfsCall call) throws IOException, NfsException, GarbageException {
        Node directory = call.readNode();
        HostFile attributes = call.directorySubject(directory);
        Path name = call.readName();
        @Nullable Entry found;
        if (isDots(name)) {
            Node wanted = name.equals(THIS) ? directory : above(call, directory);
            found = new Entry(call.export.attributes(wanted), wanted);
        } else {
            found = call.export.lookup(directory, name, true);
        }
        if (found == null || found.node() == null) {
            throw new NfsException(Nfs3Status.NOENT);
        }
        call.writeHandle(found.node());
        call.writePostOp(found.file());
        call.writePostOp(attributes);
    }

    /** The directory that a directory is in; nothing is above the root of the export. */
    static Node above(NfsCall call, Node directory) throws NfsException, IOException {
        @Nullable Location location = call.export.locate(directory).location();
        return location == null ? directory : location.directory();
    }

    static void readlink(NfsCall call) throws IOException, NfsException, GarbageException {
        Node node = call.readNode();
        HostFile link = call.subject(node);
        if (!link.is(FileType.SYMBOLIC_LINK)) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        Path target = call.export.at(node, null, Files::readSymbolicLink);
        call.export.attributes(node); // it was the link that the handle stands for
        call.writePostOp(link);
        Xdr.writeOpaque(call.out, FileNames.octets(target));
    }

    /** Reads a directory, locks it, and reads a name in it that is to be changed. */
    private record Place(Node directory, Path name) {

        static Place read(NfsCall call) throws IOException, NfsException, GarbageException {
            Node directory = call.readNode();
            call.lock(directory);
            call.directorySubject(directory);
            Path name = call.readName();
            if (isDots(name)) {
                throw new NfsException(Nfs3Status.EXIST);
            }
            return new Place(directory, name);
        }

        /** Reads one for an object that does not exist yet. */
        Place free(NfsCall call) throws IOException, NfsException {
            if (call.export.find(directory, name) != null) {
                throw new NfsException(Nfs3Status.EXIST);
            }
            call.syncDirectory(directory);
            return this;
        }

        Location location() {
            return new Location(directory, name);
        }
    }

    static void create(NfsCall call) throws IOException, NfsException, GarbageException {
        Place place = Place.read(call);
        CreateMode how = call.in.readCreateMode();
        @Nullable
        Verifier verifier =
                how == CreateMode.EXCLUSIVE ? new Verifier(call.in.readUnsignedInt(), call.in.readUnsignedInt()) : null;
        ToSet toSet = verifier == null ? call.in.readToSet() : verifier.toSet();
        @Nullable HostFile existing = call.export.find(place.directory, place.name);
        if (existing == null) {
            createNew(call, place.free(call), toSet);
        } else if (verifier == null || !verifier.isOf(existing)) {
            if (how != CreateMode.UNCHECKED || !existing.is(FileType.REGULAR)) {
                throw new NfsException(Nfs3Status.EXIST);
            }
            // Of a file that is there, only the length changes (RFC 1813, section 3.3.8).
            Node file = call.export.table.bind(place.directory, place.name, existing);
            FileProcedures.apply(call, file, existing, new ToSet(null, null, null, toSet.size(), null, null));
        }
        writeMade(call, place);
    }

    /**
     * Tells the one client that made a file exclusively from all others. It is kept with the file, in its times, until
     * the client sets them (RFC 1813, section 3.3.8); the highest bits do not fit.
     */
    private record Verifier(FileTime accessed, FileTime modified) {

        Verifier(long high, long low) {
            this(Arguments.time(high & Integer.MAX_VALUE, 0), Arguments.time(low & Integer.MAX_VALUE, 0));
        }

        ToSet toSet() {
            return new ToSet(null, null, null, null, new TimeToSet(accessed), new TimeToSet(modified));
        }

        boolean isOf(HostFile file) {
            Instant read = file.attributes().accessed();
            return file.is(FileType.REGULAR)
                    && read.equals(accessed.toInstant())
                    && file.attributes().modified().equals(modified.toInstant());
        }
    }

    /** The file stays open for the client's first WRITEs, which its mode may not allow. */
    private static void createNew(NfsCall call, Place place, ToSet toSet) throws IOException, NfsException {
        final FileChannel channel;
        try (Held directory = call.export.directory(place.directory)) {
            channel = (FileChannel) directory
                    .directory()
                    .newByteChannel(
                            place.name,
                            Set.of(
                                    StandardOpenOption.CREATE_NEW,
                                    StandardOpenOption.READ,
                                    StandardOpenOption.WRITE,
                                    LinkOption.NOFOLLOW_LINKS));
        }
        Node node = null;
        try {
            HostFile made = call.export.entry(place.directory, place.name);
            node = call.export.table.bind(place.directory, place.name, made);
            call.syncFile(call.export.open.acquire(node, Kind.WRITE, () -> channel));
            dress(call, place, node, made, toSet, DEFAULT_FILE_MODE);
        } finally {
            if (node == null) {
                channel.close();
            }
        }
    }

    /**
     * Gives a new object what the client wants of it, but for the owner: it is the server's. If that fails, nothing is
     * left of the object.
     */
    private static void dress(NfsCall call, Place place, Node node, HostFile made, ToSet toSet, int defaultMode)
            throws IOException, NfsException {
        int mode = (toSet.mode() == null ? defaultMode : toSet.mode()) & 07777;
        // A directory has inherited this bit.
        mode |= made.is(FileType.DIRECTORY) ? made.attributes().mode() & 02000 : 0;
        @Nullable Integer change = mode == made.attributes().mode() ? null : (Integer) mode;
        boolean done = false;
        try {
            FileProcedures.apply(
                    call, node, made, new ToSet(change, null, null, toSet.size(), toSet.accessed(), toSet.modified()));
            done = true;
        } finally {
            if (!done) {
                take(call, place, made);
            }
        }
    }

    private static void take(NfsCall call, Place place, HostFile entry) throws IOException, NfsException {
        try (Held held = call.export.directory(place.directory)) {
            if (entry.is(FileType.DIRECTORY)) {
                held.directory().deleteDirectory(place.name);
            } else {
                held.directory().deleteFile(place.name);
            }
        }
        call.export.onRemoved(place.directory, place.name, entry);
    }

    static void mkdir(NfsCall call) throws IOException, NfsException, GarbageException {
        Place place = Place.read(call);
        ToSet toSet = call.in.readToSet();
        place.free(call);
        call.export.at(place.directory, place.name, Files::createDirectory);
        HostFile made = call.export.entry(place.directory, place.name);
        Node node = call.export.table.bind(place.directory, place.name, made);
        ToSet mode = new ToSet(toSet.mode(), null, null, null, null, null);
        dress(call, place, node, made, mode, DEFAULT_DIRECTORY_MODE);
        writeMade(call, place);
    }

    static void symlink(NfsCall call) throws IOException, NfsException, GarbageException {
        Place place = Place.read(call);
        call.in.readToSet();
        Path target = call.in.readPath();
        place.free(call);
        call.export.at(place.directory, place.name, path -> Files.createSymbolicLink(path, target));
        writeMade(call, place);
    }

    /** Java makes no device files, pipes and sockets, so none of the types is supported (RFC 1813, section 3.3.11). */
    static void mknod(NfsCall call) throws IOException, NfsException, GarbageException {
        Place place = Place.read(call);
        @Nullable FileType type = FileType.of(call.in.readInt());
        place.free(call);
        boolean other = type == null
                || type == FileType.REGULAR
                || type == FileType.DIRECTORY
                || type == FileType.SYMBOLIC_LINK;
        throw new NfsException(other ? Nfs3Status.BADTYPE : Nfs3Status.NOTSUPP);
    }

    private static void writeMade(NfsCall call, Place place) throws IOException, NfsException {
        HostFile made = call.export.entry(place.directory, place.name);
        call.writePostOpHandle(call.export.table.bind(place.directory, place.name, made));
        call.writePostOp(made);
        call.writeWcc(0);
    }

    static void remove(NfsCall call) throws IOException, NfsException, GarbageException {
        delete(call, false);
    }

    static void rmdir(NfsCall call) throws IOException, NfsException, GarbageException {
        delete(call, true);
    }

    private static void delete(NfsCall call, boolean directories) throws IOException, NfsException, GarbageException {
        Place place = Place.read(call);
        HostFile entry = call.export.entry(place.directory, place.name);
        if (entry.is(FileType.DIRECTORY) != directories) {
            throw new NfsException(directories ? Nfs3Status.NOTDIR : Nfs3Status.ISDIR);
        }
        call.syncDirectory(place.directory);
        take(call, place, entry);
        call.writeWcc(0);
    }

    static void rename(NfsCall call) throws IOException, NfsException, GarbageException {
        Place from = new Place(call.readNode(), call.readName());
        Place to = new Place(call.readNode(), call.readName());
        call.lock(from.directory, to.directory);
        call.directorySubject(from.directory);
        call.directorySubject(to.directory);
        if (isDots(from.name) || isDots(to.name)) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        HostFile moved = call.export.entry(from.directory, from.name);
        @Nullable HostFile replaced = call.export.find(to.directory, to.name);
        if (replaced == null || !replaced.key().equals(moved.key())) { // of two names of one file both stay
            rename(call, from, moved, to, replaced);
        }
        call.writeWcc(0);
        call.writeWcc(1);
    }

    private static void rename(NfsCall call, Place from, HostFile moved, Place to, @Nullable HostFile replaced)
            throws IOException, NfsException {
        boolean directory = moved.is(FileType.DIRECTORY);
        if (replaced != null && replaced.is(FileType.DIRECTORY) != directory) {
            throw new NfsException(directory ? Nfs3Status.NOTDIR : Nfs3Status.ISDIR);
        }
        if (directory && isBelow(to.directory, moved)) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        if (replaced != null && directory && !isEmpty(call, to)) {
            throw new NfsException(Nfs3Status.NOTEMPTY);
        }
        call.syncDirectory(from.directory);
        call.syncDirectory(to.directory);
        Node node = call.export.table.bind(from.directory, from.name, moved);
        call.export.move(node, from.location(), to.location());
        if (replaced != null) {
            call.export.onRemoved(to.directory, to.name, replaced);
        }
    }

    private static boolean isBelow(Node directory, HostFile moved) {
        Node at = directory;
        while (!at.is(moved.key())) {
            if (at.locations().isEmpty()) {
                return false;
            }
            at = at.locations().get(0).directory();
        }
        return true;
    }

    private static boolean isEmpty(NfsCall call, Place place) throws IOException, NfsException {
        try (Held held = call.export.directory(place.directory);
                DirectoryStream<Path> names =
                        held.directory().newDirectoryStream(place.name, LinkOption.NOFOLLOW_LINKS)) {
            return !names.iterator().hasNext();
        }
    }

    static void link(NfsCall call) throws IOException, NfsException, GarbageException {
        Node file = call.readNode();
        HostFile linked = call.subject(file);
        Place place = Place.read(call);
        if (linked.is(FileType.DIRECTORY)) {
            throw new NfsException(Nfs3Status.ISDIR);
        }
        place.free(call);
        call.export.at(place.directory, place.name, path -> call.export.at(file, null, old -> createLink(path, old)));
        @Nullable HostFile made = call.export.find(place.directory, place.name);
        if (made == null || !file.is(made.key())) {
            if (made != null) {
                take(call, place, made); // a user of the host exchanged a directory of the path
            }
            throw new NfsException(Nfs3Status.STALE);
        }
        call.export.table.bind(place.directory, place.name, made);
        call.writePostOp(0);
        call.writeWcc(1);
    }

    private static Path createLink(Path path, Path file) throws IOException, NfsException {
        try {
            return Files.createLink(path, file);
        } catch (FileAlreadyExistsException | NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            if (!Files.getFileStore(file).equals(Files.getFileStore(path.getParent()))) {
                throw new NfsException(Nfs3Status.XDEV);
            }
            throw e;
        }
    }
}
