// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import org.jspecify.annotations.Nullable;

/** Why a procedure failed: {@code nfsstat3} (RFC 1813, section 2.6), of which {@code mountstat3} is a part. */
public enum Nfs3Status {
    /** Went well. */
    OK(0, "no error"),
    /** Caller is neither owner nor privileged. */
    PERM(1, "not owner"),
    /** No file or directory of that name. */
    NOENT(2, "no such file or directory"),
    /** Disk trouble. */
    IO(5, "input or output error at the server"),
    /** No such device. */
    NXIO(6, "no such device or address"),
    /** The caller may not. */
    ACCES(13, "permission denied"),
    /** There is one of that name already. */
    EXIST(17, "file exists"),
    /** Would cross file systems. */
    XDEV(18, "not on one file system"),
    /** No such device. */
    NODEV(19, "no such device"),
    /** Not a directory. */
    NOTDIR(20, "not a directory"),
    /** A directory. */
    ISDIR(21, "is a directory"),
    /** Arguments that make no sense. */
    INVAL(22, "invalid argument"),
    /** Beyond the largest possible file. */
    FBIG(27, "file too large"),
    /** The disk is full. */
    NOSPC(28, "no space left on the server's device"),
    /** Nobody may write. */
    ROFS(30, "read-only file system"),
    /** Too many names of one file. */
    MLINK(31, "too many hard links"),
    /** A name is too long. */
    NAMETOOLONG(63, "name too long"),
    /** Only empty directories can go. */
    NOTEMPTY(66, "directory not empty"),
    /** The user's quota is used up. */
    DQUOT(69, "quota exceeded"),
    /** What the handle meant is gone. */
    STALE(70, "stale file handle"),
    /** The file is somewhere else. */
    REMOTE(71, "too many levels of remote in path"),
    /** No handle of this server. */
    BADHANDLE(10001, "illegal file handle"),
    /** Attributes have changed meanwhile. */
    NOT_SYNC(10002, "update synchronization mismatch"),
    /** The directory has changed meanwhile. */
    BAD_COOKIE(10003, "stale cookie of a directory"),
    /** Not a procedure of this server. */
    NOTSUPP(10004, "not supported"),
    /** The reply would not fit. */
    TOOSMALL(10005, "buffer too small"),
    /** Anything else. */
    SERVERFAULT(10006, "server fault"),
    /** Not a type this server can make. */
    BADTYPE(10007, "type of object not supported"),
    /** Comes from tape; try later. */
    JUKEBOX(10008, "not available yet, try later");

    private final int code;
    private final String meaning;

    Nfs3Status(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** The status of a number, if it has one. */
    public static @Nullable Nfs3Status of(int code) {
        for (Nfs3Status status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        return null;
    }

    /** Name and meaning as in {@code NFS3ERR_NOENT (no such file or directory)}. */
    public static String describe(String prefix, int code) {
        Nfs3Status status = of(code);
        return status == null ? "status " + code : prefix + status + " (" + status.meaning + ")";
    }
}
