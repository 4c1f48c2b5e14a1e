// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.Arguments.ToSet;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.locks.Lock;
import org.apache.hadoop.nfs.nfs3.Nfs3Constant;
import org.jspecify.annotations.Nullable;

/** What is known about files and about the file system. */
final class AttributeProcedures {

    /** Longest READ and WRITE, in octets. */
    static final int MAX_TRANSFER_BYTES = 1 << 20;

    /** Good length of a READDIR, in octets. */
    private static final int PREFERRED_DIRECTORY_BYTES = 64 << 10;

    private static final int MAX_LINKS = 32_000;

    /** The host does not tell how many files there may be. */
    private static final long FILES_UNKNOWN = Integer.MAX_VALUE;

    private AttributeProcedures() {}

    static void getattr(NfsCall call) throws IOException, NfsException, GarbageException {
        Results.attributes(call.out, call.readObject().attributes());
    }

    static void setattr(NfsCall call) throws IOException, NfsException, GarbageException {
        Node node = call.store.table().resolve(call.in.copyOfHandle());
        Lock file = call.store.file(node);
        Lock names = call.store.names().readLock();
        file.lock();
        names.lock();
        try {
            Located object = call.readObject();
            ToSet toSet = call.in.readToSet();
            @Nullable FileTime guard = call.in.readBoolean() ? call.in.readTime() : null;
            if (guard != null && !guard.equals(object.attributes().changed())) {
                throw new NfsException(Nfs3Status.NOT_SYNC);
            }
            AttributeChange.apply(call, object, toSet);
            if (object.attributes().isDirectory()) {
                try (OpenDirectory directory = call.store.open(object)) {
                    call.syncDirectory(directory);
                }
            } else if (object.attributes().isRegular()) {
                syncIfReadable(call, object);
            }
            call.writeWcc(0);
        } finally {
            names.unlock();
            file.unlock();
        }
    }

    private static void syncIfReadable(NfsCall call, Located object) throws IOException, NfsException {
        if (!call.isStable()) {
            return;
        }
        final HeldFile file;
        try {
            file = call.store.open(object, StandardOpenOption.READ);
        } catch (IOException e) {
            if (HostErrors.status(e) == Nfs3Status.ACCES) {
                return; // its mode now forbids it; the file system's journal will write it in seconds
            }
            throw e;
        }
        call.syncFile(file);
    }

    static void access(NfsCall call) throws IOException, NfsException, GarbageException {
        HostAttributes object = call.readObject().attributes();
        int wanted = call.in.readInt();
        int rights = call.identity.rights(object);
        int granted = 0;
        if ((rights & Identity.READ) != 0) {
            granted |= Nfs3Constant.ACCESS3_READ;
        }
        if ((rights & Identity.WRITE) != 0) {
            granted |= Nfs3Constant.ACCESS3_MODIFY | Nfs3Constant.ACCESS3_EXTEND;
            granted |= object.isDirectory() ? Nfs3Constant.ACCESS3_DELETE : 0;
        }
        if ((rights & Identity.EXECUTE) != 0) {
            granted |= object.isDirectory() ? Nfs3Constant.ACCESS3_LOOKUP : Nfs3Constant.ACCESS3_EXECUTE;
        }
        Results.postOp(call.out, object);
        call.out.writeInt(granted & wanted);
    }

    static void fsstat(NfsCall call) throws IOException, NfsException, GarbageException {
        HostAttributes object = call.readObject().attributes();
        FileStore store = call.store.fileStore();
        Results.postOp(call.out, object);
        call.out
                .writeLong(store.getTotalSpace())
                .writeLong(store.getUnallocatedSpace())
                .writeLong(store.getUsableSpace())
                .writeLong(FILES_UNKNOWN)
                .writeLong(FILES_UNKNOWN)
                .writeLong(FILES_UNKNOWN)
                .writeInt(0); // may change at once
    }

    static void fsinfo(NfsCall call) throws IOException, NfsException, GarbageException {
        Results.postOp(call.out, call.readObject().attributes());
        call.out
                .writeInt(MAX_TRANSFER_BYTES) // rtmax
                .writeInt(MAX_TRANSFER_BYTES) // rtpref
                .writeInt(512) // rtmult
                .writeInt(MAX_TRANSFER_BYTES) // wtmax
                .writeInt(MAX_TRANSFER_BYTES) // wtpref
                .writeInt(512) // wtmult
                .writeInt(PREFERRED_DIRECTORY_BYTES)
                .writeLong(Long.MAX_VALUE)
                .writeInt(0) // times are kept to
                .writeInt(1) // the nanosecond
                .writeInt(Nfs3Constant.FSF3_LINK
                        | Nfs3Constant.FSF3_SYMLINK
                        | Nfs3Constant.FSF3_HOMOGENEOUS
                        | Nfs3Constant.FSF3_CANSETTIME);
    }

    static void pathconf(NfsCall call) throws IOException, NfsException, GarbageException {
        Results.postOp(call.out, call.readObject().attributes());
        call.out
                .writeInt(MAX_LINKS)
                .writeInt(Arguments.MAX_NAME_BYTES)
                .writeInt(1) // longer names are errors, not cut
                .writeInt(1) // only root gives files away
                .writeInt(0) // upper case is not lower case
                .writeInt(1); // and is kept
    }
}
