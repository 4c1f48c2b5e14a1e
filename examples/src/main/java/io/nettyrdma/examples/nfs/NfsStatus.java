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
package io.nettyrdma.examples.nfs;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Map;
import org.apache.hadoop.nfs.nfs3.Nfs3Status;

/** How a procedure ended: {@code nfsstat3} (RFC 1813, section 2.6), and what the errors of the host are called there. */
enum NfsStatus {
    OK(Nfs3Status.NFS3_OK),
    PERM(Nfs3Status.NFS3ERR_PERM),
    NOENT(Nfs3Status.NFS3ERR_NOENT),
    IO(Nfs3Status.NFS3ERR_IO),
    ACCES(Nfs3Status.NFS3ERR_ACCES),
    EXIST(Nfs3Status.NFS3ERR_EXIST),
    XDEV(Nfs3Status.NFS3ERR_XDEV),
    NOTDIR(Nfs3Status.NFS3ERR_NOTDIR),
    ISDIR(Nfs3Status.NFS3ERR_ISDIR),
    INVAL(Nfs3Status.NFS3ERR_INVAL),
    FBIG(Nfs3Status.NFS3ERR_FBIG),
    NOSPC(Nfs3Status.NFS3ERR_NOSPC),
    ROFS(Nfs3Status.NFS3ERR_ROFS),
    MLINK(Nfs3Status.NFS3ERR_MLINK),
    NAMETOOLONG(Nfs3Status.NFS3ERR_NAMETOOLONG),
    NOTEMPTY(Nfs3Status.NFS3ERR_NOTEMPTY),
    DQUOT(Nfs3Status.NFS3ERR_DQUOT),
    STALE(Nfs3Status.NFS3ERR_STALE),
    BADHANDLE(Nfs3Status.NFS3ERR_BADHANDLE),
    NOT_SYNC(Nfs3Status.NFS3ERR_NOT_SYNC),
    BAD_COOKIE(Nfs3Status.NFS3ERR_BAD_COOKIE),
    NOTSUPP(Nfs3Status.NFS3ERR_NOTSUPP),
    TOOSMALL(Nfs3Status.NFS3ERR_TOOSMALL),
    SERVERFAULT(Nfs3Status.NFS3ERR_SERVERFAULT),
    BADTYPE(Nfs3Status.NFS3ERR_BADTYPE),
    JUKEBOX(Nfs3Status.NFS3ERR_JUKEBOX);

    /** Java has exceptions of its own for few errors; of the rest it tells the C library's text. */
    private static final Map<String, NfsStatus> BY_REASON = Map.ofEntries(
            Map.entry("Operation not permitted", PERM),
            Map.entry("No such file or directory", NOENT),
            Map.entry("Permission denied", ACCES),
            Map.entry("File exists", EXIST),
            Map.entry("Invalid cross-device link", XDEV),
            Map.entry("Not a directory", NOTDIR),
            Map.entry("Is a directory", ISDIR),
            Map.entry("Invalid argument", INVAL),
            Map.entry("File too large", FBIG),
            Map.entry("No space left on device", NOSPC),
            Map.entry("Read-only file system", ROFS),
            Map.entry("Too many links", MLINK),
            Map.entry("File name too long", NAMETOOLONG),
            Map.entry("Directory not empty", NOTEMPTY),
            Map.entry("Disk quota exceeded", DQUOT),
            Map.entry("Stale file handle", STALE));

    private final int code;

    NfsStatus(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    int code() {
        return code;
    }

    static NfsStatus of(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return NOENT;
        }
        if (failure instanceof FileAlreadyExistsException) {
            return EXIST;
        }
        if (failure instanceof AccessDeniedException) {
            return ACCES;
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return NOTEMPTY;
        }
        if (failure instanceof NotDirectoryException) {
            return NOTDIR;
        }
        if (failure instanceof NotLinkException || failure instanceof UserPrincipalNotFoundException) {
            return INVAL;
        }
        String reason = failure instanceof FileSystemException known ? known.getReason() : failure.getMessage();
        return reason == null ? IO : BY_REASON.getOrDefault(reason, IO);
    }
}
