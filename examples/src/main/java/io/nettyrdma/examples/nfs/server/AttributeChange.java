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

    /** Gives an object nobody else can reach yet its owner and group, then what else the caller wants of it. */
    static void dress(Identity caller, Path staged, int gid, ToSet toSet) throws IOException, NfsException {
        set(staged, HostAttributes.of(staged), new ToSet(null, caller.uid(), gid, null, null, null));
        HostAttributes now = HostAttributes.of(staged);
        check(caller, now, toSet);
        if (toSet.size() != null) {
            try (FileChannel file = FileChannel.open(staged, StandardOpenOption.WRITE)) {
                resize(file, toSet.size());
            }
        }
        set(staged, now, toSet);
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
        if (now.isSymbolicLink()) {
            return; // it has no mode worth the name; its times matter to nobody
        }
        if (toSet.accessed() != null || toSet.modified() != null) {
            setTimes(path, toSet);
        }
        if (toSet.mode() != null) {
            Files.setAttribute(path, "unix:mode", toSet.mode() & 07777);
        }
    }

    private static void setTimes(Path path, ToSet toSet) throws IOException {
        FileTime clock = FileTime.from(Instant.now());
        Files.getFileAttributeView(path, BasicFileAttributeView.class)
                .setTimes(time(toSet.modified(), clock), time(toSet.accessed(), clock), null);
    }

    private static @Nullable FileTime time(@Nullable TimeToSet toSet, FileTime clock) {
        if (toSet == null) {
            return null;
        }
        return toSet.time() == null ? clock : toSet.time();
    }
}
