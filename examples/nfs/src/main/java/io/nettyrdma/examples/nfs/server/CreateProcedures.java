// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.CreateMode;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.Arguments.TimeToSet;
import io.nettyrdma.examples.nfs.server.Arguments.ToSet;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** New files, directories and symbolic links. */
final class CreateProcedures {

    private static final ToSet NOTHING = new ToSet(null, null, null, null, null, null);
    private static final int DEFAULT_FILE_MODE = 0644;
    private static final int DEFAULT_DIRECTORY_MODE = 0755;

    private CreateProcedures() {}

    static void create(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = readNewName(call);
            CreateMode how = call.in.readCreateMode();
            ToSet toSet = NOTHING;
            @Nullable Verifier verifier = null;
            switch (how) {
                case UNCHECKED, GUARDED -> toSet = call.in.readToSet();
                case EXCLUSIVE -> verifier = new Verifier(call.in.readUnsignedInt(), call.in.readUnsignedInt());
            }
            @Nullable HostAttributes existing = directory.find(name);
            if (existing == null) {
                createNew(call, directory, name, toSet, verifier);
            } else if (verifier != null && verifier.isOf(existing)) {
                result(call, directory, name, existing); // the client asks again, having lost the answer
            } else if (how != CreateMode.UNCHECKED || !existing.isRegular()) {
                throw new NfsException(Nfs3Status.EXIST);
            } else {
                Located file = located(call, directory, name, existing);
                // Of a file that is there, only the length is changed (RFC 1813, section 3.3.8).
                AttributeChange.apply(call, file, new ToSet(null, null, null, toSet.size(), null, null));
                result(call, directory, name, directory.entry(name));
            }
        }
    }

    /**
     * What tells the one client that made a file exclusively from all others. It is kept with the file, in its times,
     * until the client sets them (RFC 1813, section 3.3.8); the highest bits do not fit and are dropped.
     */
    private record Verifier(long high, long low) {

        private static final long FITTING = 0x7fff_ffffL;

        FileTime accessed() {
            return Arguments.time(high & FITTING, 0);
        }

        FileTime modified() {
            return Arguments.time(low & FITTING, 0);
        }

        boolean isOf(HostAttributes file) {
            return file.isRegular()
                    && file.accessed().equals(accessed())
                    && file.modified().equals(modified());
        }
    }

    private static void createNew(
            NfsCall call, OpenDirectory directory, Path name, ToSet toSet, @Nullable Verifier verifier)
            throws IOException, NfsException {
        call.identity.require(directory.attributes(), Identity.WRITE | Identity.EXECUTE);
        ToSet all = verifier == null
                ? toSet
                : new ToSet(
                        null, null, null, null, new TimeToSet(verifier.accessed()), new TimeToSet(verifier.modified()));
        StagingDirectory staging = call.store.staging(directory);
        finish(call, directory, name, staging, staging.createFile(), all, DEFAULT_FILE_MODE);
    }

    static void mkdir(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = readNewName(call);
            ToSet toSet = call.in.readToSet();
            requireFree(call, directory, name);
            ToSet permissions = new ToSet(toSet.mode(), toSet.uid(), toSet.gid(), null, null, null);
            StagingDirectory staging = call.store.staging(directory);
            finish(call, directory, name, staging, staging.createDirectory(), permissions, DEFAULT_DIRECTORY_MODE);
        }
    }

    static void symlink(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = readNewName(call);
            ToSet toSet = call.in.readToSet();
            Path target = call.in.readPath();
            requireFree(call, directory, name);
            ToSet owner = new ToSet(null, toSet.uid(), toSet.gid(), null, null, null);
            StagingDirectory staging = call.store.staging(directory);
            finish(call, directory, name, staging, Files.createSymbolicLink(staging.fresh(), target), owner, 0777);
        }
    }

    /** Java makes no device files, pipes and sockets, so none of the types is supported (RFC 1813, section 3.3.11). */
    static void mknod(NfsCall call) throws IOException, NfsException, GarbageException {
        try (OpenDirectory directory = call.readDirectory()) {
            Path name = readNewName(call);
            @Nullable FileType type = FileType.of(call.in.readInt());
            requireFree(call, directory, name);
            boolean known = type == FileType.BLOCK_DEVICE
                    || type == FileType.CHARACTER_DEVICE
                    || type == FileType.SOCKET
                    || type == FileType.NAMED_PIPE;
            throw new NfsException(known ? Nfs3Status.NOTSUPP : Nfs3Status.BADTYPE);
        }
    }

    private static Path readNewName(NfsCall call) throws NfsException, GarbageException {
        Path name = call.in.readName();
        call.note(name);
        if (NameProcedures.isDots(name)) {
            throw new NfsException(Nfs3Status.EXIST);
        }
        return name;
    }

    static void requireFree(NfsCall call, OpenDirectory directory, Path name) throws IOException, NfsException {
        if (directory.find(name) != null) {
            throw new NfsException(Nfs3Status.EXIST);
        }
        call.identity.require(directory.attributes(), Identity.WRITE | Identity.EXECUTE);
    }

    /**
     * Gives a new object, which nobody else can reach so far, its owner, group, mode and times, then its place. If
     * anything fails nothing is left of it.
     */
    private static void finish(
            NfsCall call,
            OpenDirectory directory,
            Path name,
            StagingDirectory staging,
            Path staged,
            ToSet wanted,
            int defaultMode)
            throws IOException, NfsException {
        try {
            HostAttributes fresh = HostAttributes.of(staged);
            if (fresh.isRegular()) {
                call.syncNewFile(staged); // while its mode lets a server that is not root open it
            }
            boolean inherits = (directory.attributes().mode() & HostAttributes.SET_GID) != 0;
            int gid = directory.attributes().gid();
            // A server that is not root can give files to groups it is in only.
            boolean mayGive = staging.isOfRoot() || call.identity.isIn(gid);
            AttributeChange.dress(
                    call.identity,
                    staged,
                    inherits && mayGive ? gid : call.identity.gid(),
                    inherits && fresh.isDirectory() ? HostAttributes.SET_GID : 0,
                    wanted.mode() == null ? wanted.withMode(defaultMode) : wanted);
            call.syncDirectory(directory);
            staging.place(staged, directory, name);
        } finally {
            StagingDirectory.discard(staged);
        }
        result(call, directory, name, directory.entry(name));
    }

    private static Located located(NfsCall call, OpenDirectory directory, Path name, HostAttributes entry)
            throws IOException, NfsException {
        return call.store.locate(call.store.bind(directory, name, entry));
    }

    /** The same for all of them: handle, attributes, and the directory's change. */
    private static void result(NfsCall call, OpenDirectory directory, Path name, HostAttributes entry)
            throws IOException {
        Results.postOpHandle(call.out, call.store.bind(directory, name, entry));
        Results.postOp(call.out, entry);
        call.writeWcc(0);
    }
}
