/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Arguments.TimeToSet;
import io.nettyrdma.examples.nfs.server.Arguments.ToSet;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sets the attributes a client wants set, in the order in which the one does not undo the other. */
final class AttributeChange {

    private static final int PERMISSIONS = 0777;

    private AttributeChange() {}

    /** Checks that the caller may, and sets. */
    static void apply(NfsCall call, Located object, ToSet toSet) throws IOException, NfsException {
        check(call.identity, object.attributes(), toSet);
        applyUnchecked(call, object, toSet);
    }

    /** Sets, for an object this server just made. */
    static void applyUnchecked(NfsCall call, Located object, ToSet toSet) throws IOException, NfsException {
        HostAttributes now = object.attributes();
        if (toSet.size() != null) {
            resize(call, object, toSet.size());
        }
        if (toSet.uid() == null
                && toSet.gid() == null
                && toSet.mode() == null
                && toSet.accessed() == null
                && toSet.modified() == null) {
            return;
        }
        if (object.location() == null) {
            try (OpenDirectory root = call.store.open(object)) {
                set(root.view(), object.path(), now, toSet);
            }
            return;
        }
        try (OpenDirectory parent = call.store.openParent(object)) {
            Path name = object.path().getFileName();
            if (!object.node().is(parent.entry(name))) {
                throw new NfsException(Nfs3Status.STALE);
            }
            set(parent.view(name), object.path(), now, toSet);
        }
    }

    private static void check(Identity caller, HostAttributes now, ToSet toSet) throws NfsException {
        boolean owns = caller.owns(now);
        if (toSet.uid() != null && toSet.uid() != now.uid() && !caller.isRoot()) {
            throw new NfsException(Nfs3Status.PERM);
        }
        if (toSet.gid() != null
                && toSet.gid() != now.gid()
                && !caller.isRoot()
                && !(owns && caller.isIn(toSet.gid()))) {
            throw new NfsException(Nfs3Status.PERM);
        }
        if (toSet.mode() != null && !owns) {
            throw new NfsException(Nfs3Status.PERM);
        }
        if (toSet.size() != null) {
            caller.requireData(now, Identity.WRITE);
        }
        requireTime(caller, now, toSet.accessed());
        requireTime(caller, now, toSet.modified());
    }

    private static void requireTime(Identity caller, HostAttributes now, @Nullable TimeToSet time) throws NfsException {
        if (time == null || caller.owns(now)) {
            return;
        }
        if (time.time() != null) {
            throw new NfsException(Nfs3Status.PERM);
        }
        caller.require(now, Identity.WRITE); // "now" is what writing would set as well
    }

    private static void resize(NfsCall call, Located object, long size) throws IOException, NfsException {
        if (size < 0) {
            throw new NfsException(Nfs3Status.FBIG);
        }
        try (FileChannel file = call.store.open(object, StandardOpenOption.WRITE)) {
            if (size > file.size()) {
                file.write(ByteBuffer.allocate(1), size - 1);
            } else {
                file.truncate(size);
            }
        }
    }

    private static void set(PosixFileAttributeView view, Path path, HostAttributes now, ToSet toSet)
            throws IOException, NfsException {
        if (now.isSymbolicLink()) {
            setOfLink(path, now, toSet);
            return;
        }
        UserPrincipalLookupService users = path.getFileSystem().getUserPrincipalLookupService();
        if (toSet.uid() != null && toSet.uid() != now.uid()) {
            view.setOwner(users.lookupPrincipalByName(Integer.toUnsignedString(toSet.uid())));
        }
        if (toSet.gid() != null && toSet.gid() != now.gid()) {
            view.setGroup(users.lookupPrincipalByGroupName(Integer.toUnsignedString(toSet.gid())));
        }
        if (toSet.mode() != null) {
            setMode(view, path, toSet.mode() & 07777);
        }
        if (toSet.accessed() != null || toSet.modified() != null) {
            setTimes(view, path, toSet);
        }
    }

    /** Java sets the modes of open files, and cannot open one that its mode forbids to; and only permissions. */
    private static void setMode(PosixFileAttributeView view, Path path, int mode) throws IOException {
        try {
            view.setPermissions(permissions(mode));
        } catch (AccessDeniedException e) {
            Files.setAttribute(path, "unix:mode", mode);
            return;
        }
        if ((mode & ~PERMISSIONS) != 0) {
            Files.setAttribute(path, "unix:mode", mode, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static void setTimes(PosixFileAttributeView view, Path path, ToSet toSet) throws IOException {
        FileTime clock = FileTime.from(Instant.now());
        FileTime modified = time(toSet.modified(), clock);
        FileTime accessed = time(toSet.accessed(), clock);
        try {
            view.setTimes(modified, accessed, null);
        } catch (AccessDeniedException e) {
            Files.getFileAttributeView(path, BasicFileAttributeView.class).setTimes(modified, accessed, null);
        }
    }

    private static @Nullable FileTime time(@Nullable TimeToSet toSet, FileTime clock) {
        if (toSet == null) {
            return null;
        }
        return toSet.time() == null ? clock : toSet.time();
    }

    /** A symbolic link has an owner, and no mode worth the name; its times matter to nobody. */
    private static void setOfLink(Path path, HostAttributes now, ToSet toSet) throws IOException {
        if (toSet.uid() != null && toSet.uid() != now.uid()) {
            Files.setAttribute(path, "unix:uid", toSet.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        if (toSet.gid() != null && toSet.gid() != now.gid()) {
            Files.setAttribute(path, "unix:gid", toSet.gid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        PosixFilePermission[] all = PosixFilePermission.values(); // in the order of the bits, the owner's read first
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < all.length; i++) {
            if ((mode & 0400 >> i) != 0) {
                set.add(all[i]);
            }
        }
        return set;
    }
}
