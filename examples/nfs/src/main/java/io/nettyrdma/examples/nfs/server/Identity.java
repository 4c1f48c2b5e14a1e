// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.hadoop.oncrpc.security.Credentials;
import org.apache.hadoop.oncrpc.security.CredentialsSys;

/** On whose behalf a procedure runs, and what that user may do to a file. */
record Identity(int uid, int gid, int[] groups) {

    static final int READ = 4;
    static final int WRITE = 2;
    static final int EXECUTE = 1;

    private static final Path PROCESS = Path.of("/proc/self");

    /** What strangers are; the number has this meaning nearly everywhere. */
    private static final int NOBODY_ID = 65_534;

    private static final Identity NOBODY = new Identity(NOBODY_ID, NOBODY_ID, new int[0]);

    /**
     * Turns credentials into identities. A server that runs as root acts as the user its client names; any other can
     * act as itself only, whoever calls.
     */
    static final class Mapper {

        private final Identity self;
        private final boolean squashRoot;

        Mapper(boolean squashRoot) throws IOException {
            int[] groups = Files.readAllLines(PROCESS.resolve("status")).stream()
                    .filter(line -> line.startsWith("Groups:"))
                    .flatMap(line ->
                            Arrays.stream(line.substring("Groups:".length()).split("\\s+")))
                    .filter(text -> !text.isEmpty())
                    .mapToInt(Integer::parseUnsignedInt)
                    .toArray();
            HostAttributes attributes = HostAttributes.of(PROCESS.toRealPath());
            self = new Identity(attributes.uid(), attributes.gid(), groups);
            this.squashRoot = squashRoot;
        }

        boolean actsAsCaller() {
            return self.isRoot();
        }

        Identity of(Credentials credentials) {
            if (!self.isRoot()) {
                return self;
            }
            if (!(credentials instanceof CredentialsSys sys) || squashRoot && sys.getUID() == 0) {
                return NOBODY;
            }
            Identity caller = new Identity(sys.getUID(), sys.getGID(), sys.getAuxGIDs());
            return squashRoot ? caller.withoutRootsGroup() : caller;
        }
    }

    private Identity withoutRootsGroup() {
        return new Identity(
                uid,
                withoutRoot(gid),
                Arrays.stream(groups).map(Identity::withoutRoot).toArray());
    }

    private static int withoutRoot(int group) {
        return group == 0 ? NOBODY_ID : group;
    }

    /** The user this server runs as. */
    static int ownUid() throws IOException {
        return HostAttributes.of(PROCESS.toRealPath()).uid();
    }

    boolean isRoot() {
        return uid == 0;
    }

    boolean owns(HostAttributes file) {
        return isRoot() || uid == file.uid();
    }

    boolean isIn(int group) {
        return gid == group || Arrays.stream(groups).anyMatch(member -> member == group);
    }

    /** Which of {@link #READ}, {@link #WRITE} and {@link #EXECUTE} the mode of a file grants. */
    int rights(HostAttributes file) {
        int mode = file.mode();
        if (isRoot()) {
            return READ | WRITE | (file.isDirectory() || (mode & 0111) != 0 ? EXECUTE : 0);
        }
        if (uid == file.uid()) {
            return mode >> 6 & 7;
        }
        return (isIn(file.gid()) ? mode >> 3 : mode) & 7;
    }

    void require(HostAttributes file, int wanted) throws NfsException {
        if ((rights(file) & wanted) != wanted) {
            throw new NfsException(Nfs3Status.ACCES);
        }
    }

    /**
     * The owner of a file may always use its data: permissions were checked when the client opened it. Who may execute
     * it may read it, for that is how a client executes it (RFC 1813, section 4.4).
     */
    void requireData(HostAttributes file, int wanted) throws NfsException {
        if (!owns(file) && !(wanted == READ && (rights(file) & EXECUTE) != 0)) {
            require(file, wanted);
        }
    }

    /**
     * What is left of a mode when this user changes the data or the owner of a file, as in the Linux kernel: its
     * program might do something else now, or for somebody else. A set-group-id bit without the right to execute means
     * locking, and stays for members of the group.
     */
    int withoutSetIds(int mode, int group) {
        int left = mode & ~HostAttributes.SET_UID;
        boolean executable = (mode & HostAttributes.GROUP_EXECUTE) != 0;
        return executable ? left & ~HostAttributes.SET_GID : withoutForeignSetGid(left, group);
    }

    /** Only members of a group, and root, let a file give the rights of that group. */
    int withoutForeignSetGid(int mode, int group) {
        return isRoot() || isIn(group) ? mode : mode & ~HostAttributes.SET_GID;
    }

    /** In a directory with the sticky bit entries belong to their owners. */
    void requireRemovable(HostAttributes directory, HostAttributes entry) throws NfsException {
        require(directory, WRITE | EXECUTE);
        if ((directory.mode() & HostAttributes.STICKY) != 0 && !owns(directory) && !owns(entry)) {
            throw new NfsException(Nfs3Status.ACCES);
        }
    }
}
