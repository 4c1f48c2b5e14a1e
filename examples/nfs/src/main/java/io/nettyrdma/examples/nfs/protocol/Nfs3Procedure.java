// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

/** The procedures of NFS version 3, in the order of their numbers (RFC 1813, section 3.3). */
public enum Nfs3Procedure {
    /** Does nothing. */
    NULL,
    /** Attributes of an object. */
    GETATTR,
    /** Sets attributes. */
    SETATTR,
    /** Finds a name in a directory. */
    LOOKUP,
    /** What the caller may do. */
    ACCESS,
    /** Where a symbolic link leads. */
    READLINK,
    /** Part of a file. */
    READ,
    /** Changes part of a file. */
    WRITE,
    /** Makes a file. */
    CREATE,
    /** Makes a directory. */
    MKDIR,
    /** Makes a symbolic link. */
    SYMLINK,
    /** Makes a device file, pipe or socket. */
    MKNOD,
    /** Takes a name from a file. */
    REMOVE,
    /** Removes a directory. */
    RMDIR,
    /** Changes a name. */
    RENAME,
    /** Gives a file one more name. */
    LINK,
    /** Names in a directory. */
    READDIR,
    /** The same with attributes and handles. */
    READDIRPLUS,
    /** How full the file system is. */
    FSSTAT,
    /** Limits of the server. */
    FSINFO,
    /** Limits of the file system. */
    PATHCONF,
    /** Brings data to stable storage. */
    COMMIT;

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }
}
