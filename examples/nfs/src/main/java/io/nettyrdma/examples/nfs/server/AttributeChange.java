// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Arguments.TimeToSet;
import io.nettyrdma.examples.nfs.server.Arguments.ToSet;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import io.nettyrdma.examples.nfs.server.LocalStore.Pinned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Sets the attributes a client wants set, in the order in which the one does not undo the other. */
final class AttributeChange {

    private AttributeChange() {}

    /** Checks that the caller may, and sets. */
    static void apply(NfsCall call, Located object, ToSet toSet) throws IOException, NfsException {
        HostAttributes now = object.attributes();
        check(call.identity, now, toSet);
        set(call, object, toSet.withMode(mode(call.identity, now, toSet)));
    }

    /**
     * Takes the set-id bits of a file that the caller is about to write to; before that, so that nobody uses them
     * after.
     */
    static void dropSetIds(NfsCall call, Located file) throws IOException, NfsException {
        int mode = file.attributes().mode();
        int left = call.identity.withoutSetIds(mode, file.attributes().gid());
        if (!call.identity.isRoot() && left != mode) {
            set(call, file, new ToSet(left, null, null, null, null, null));
        }
    }

    private static void set(NfsCall call, Located object, ToSet toSet) throws IOException, NfsException {
        HostAttributes now = object.attributes();
        if (toSet.size() != null) {
            try (HeldFile file = call.store.open(object, StandardOpenOption.WRITE)) {
                resize(file.channel(), toSet.size());
            }
        }
        if (!toSet.changesMoreThanSize()) {
            return;
        }
        if (now.isDirectory()) {
            try (OpenDirectory directory = call.store.open(object)) {
                set(directory.path(), now, toSet);
            }
        } else {
            try (Pinned pinned = call.store.pin(object)) {
                set(pinned.path(), now, toSet);
            }
        }
    }

    /**
     * Gives an object nobody else can reach yet its owner and group, then what else the caller wants of it.
     *
     * @param inherited bits of the mode that it has anyway
     */
    static void dress(Identity caller, Path staged, int gid, int inherited, ToSet toSet)
            throws IOException, NfsException {
        set(staged, HostAttributes.of(staged), new ToSet(null, caller.uid(), gid, null, null, null));
        HostAttributes now = HostAttributes.of(staged);
        check(caller, now, toSet);
        if (toSet.size() != null) {
            try (FileChannel file = FileChannel.open(staged, StandardOpenOption.WRITE)) {
                resize(file, toSet.size());
            }
        }
        @Nullable Integer mode = mode(caller, now, toSet);
        set(staged, now, toSet.withMode(mode == null ? null : (Integer) (mode | inherited)));
    }

    /**
     * The mode an object gets, with the set-id bits that the kernel's server would leave; null to leave it as it is.
     */
    private static @Nullable Integer mode(Identity caller, HostAttributes now, ToSet toSet) {
        int group = toSet.gid() == null ? now.gid() : toSet.gid();
        @Nullable Integer mode = toSet.mode();
        boolean given = toSet.uid() != null || toSet.gid() != null;
        if (!now.isDirectory() && (given || mode == null && toSet.size() != null && !caller.isRoot())) {
            int asked = mode == null ? now.mode() : mode;
            int left = caller.withoutSetIds(asked, group);
            mode = mode == null && left == asked ? null : (Integer) left;
        }
        return mode == null ? null : (Integer) caller.withoutForeignSetGid(mode, group);
    }

    private static void check(Identity caller, HostAttributes now, ToSet toSet) throws NfsException {
        boolean owns = caller.owns(now);
        if (isNoId(toSet.uid()) || isNoId(toSet.gid())) {
            throw new NfsException(Nfs3Status.INVAL);
        }
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
        boolean hasTimes = now.isRegular() || now.isDirectory() || now.isSymbolicLink();
        if (!hasTimes && (toSet.accessed() != null || toSet.modified() != null)) {
            // Java opens what it sets times of: a pipe would wait for a writer, a device might do something.
            throw new NfsException(Nfs3Status.NOTSUPP);
        }
        requireTime(caller, now, toSet.accessed());
        requireTime(caller, now, toSet.modified());
    }

    /** The number by which the host means "leave it". */
    private static boolean isNoId(@Nullable Integer id) {
        return id != null && id == -1;
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

    private static void resize(FileChannel file, long size) throws IOException, NfsException {
        if (size < 0) {
            throw new NfsException(Nfs3Status.FBIG);
        }
        if (size > file.size()) {
            file.write(ByteBuffer.allocate(1), size - 1);
        } else {
            file.truncate(size);
        }
    }

    /** @param path leads to one object, whatever others rename */
    private static void set(Path path, HostAttributes now, ToSet toSet) throws IOException, NfsException {
        if (toSet.uid() != null && toSet.uid() != now.uid()) {
            Files.setAttribute(path, "unix:uid", toSet.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        if (toSet.gid() != null && toSet.gid() != now.gid()) {
            Files.setAttribute(path, "unix:gid", toSet.gid(), LinkOption.NOFOLLOW_LINKS);
        }
        if (toSet.accessed() != null || toSet.modified() != null) {
            setTimes(path, toSet);
        }
        if (toSet.mode() != null && !now.isSymbolicLink()) { // whose mode is not worth the name
            Files.setAttribute(path, "unix:mode", toSet.mode() & 07777);
        }
    }

    private static void setTimes(Path path, ToSet toSet) throws IOException {
        FileTime clock = FileTime.from(Instant.now());
        Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(time(toSet.modified(), clock), time(toSet.accessed(), clock), null);
    }

    private static @Nullable FileTime time(@Nullable TimeToSet toSet, FileTime clock) {
        if (toSet == null) {
            return null;
        }
        return toSet.time() == null ? clock : toSet.time();
    }
}
