// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
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

/** What the errors of the host are called in NFS. */
final class HostErrors {

    /** Java has exceptions of its own for few errors; of the rest it tells the C library's text. */
    private static final Map<String, Nfs3Status> BY_REASON = Map.ofEntries(
            Map.entry("Operation not permitted", Nfs3Status.PERM),
            Map.entry("No such file or directory", Nfs3Status.NOENT),
            Map.entry("Permission denied", Nfs3Status.ACCES),
            Map.entry("File exists", Nfs3Status.EXIST),
            Map.entry("Invalid cross-device link", Nfs3Status.XDEV),
            Map.entry("Not a directory", Nfs3Status.NOTDIR),
            Map.entry("Is a directory", Nfs3Status.ISDIR),
            Map.entry("Invalid argument", Nfs3Status.INVAL),
            Map.entry("File too large", Nfs3Status.FBIG),
            Map.entry("No space left on device", Nfs3Status.NOSPC),
            Map.entry("Read-only file system", Nfs3Status.ROFS),
            Map.entry("Too many links", Nfs3Status.MLINK),
            Map.entry("File name too long", Nfs3Status.NAMETOOLONG),
            Map.entry("Directory not empty", Nfs3Status.NOTEMPTY),
            Map.entry("Disk quota exceeded", Nfs3Status.DQUOT),
            Map.entry("Stale file handle", Nfs3Status.STALE),
            Map.entry("Operation not supported", Nfs3Status.NOTSUPP));

    /** Java adds why it did not follow it. */
    private static final String SYMBOLIC_LINK = "Too many levels of symbolic links";

    private HostErrors() {}

    static Nfs3Status status(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return Nfs3Status.NOENT;
        }
        if (failure instanceof FileAlreadyExistsException) {
            return Nfs3Status.EXIST;
        }
        if (failure instanceof AccessDeniedException) {
            return Nfs3Status.ACCES;
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return Nfs3Status.NOTEMPTY;
        }
        if (failure instanceof NotDirectoryException) {
            return Nfs3Status.NOTDIR;
        }
        if (failure instanceof NotLinkException || failure instanceof UserPrincipalNotFoundException) {
            return Nfs3Status.INVAL;
        }
        String reason = failure instanceof FileSystemException known ? known.getReason() : failure.getMessage();
        if (reason != null && reason.startsWith(SYMBOLIC_LINK)) {
            return Nfs3Status.STALE; // it was something else when it was looked at
        }
        return reason == null ? Nfs3Status.IO : BY_REASON.getOrDefault(reason, Nfs3Status.IO);
    }
}
