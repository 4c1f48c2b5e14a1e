// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.XdrType.COUNT;
import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.opaque;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.words;

/**
 * NFS version 2 (RFC 1094) over RDMA (RFC 8267, section 4): the data of WRITE and READ and the path names of SYMLINK
 * and READLINK may be reduced, nothing else. Types are named as in RFC 1094.
 */
final class Nfs2 {

    private static final int MAX_DATA_BYTES = 8192;
    private static final int MAX_PATH_BYTES = 1024;

    private static final XdrType FILE_HANDLE = words(8);
    private static final XdrType FILE_NAME = opaque(255);
    static final XdrType FATTR = words(17);
    private static final XdrType SATTR = words(8);
    private static final XdrType STATUS = words(1);
    private static final XdrType ATTR_STATUS = result(FATTR, VOID);
    private static final XdrType NEW_OBJECT = result(struct(FILE_HANDLE, FATTR), VOID);

    static final UpperLayerBinding BINDING = XdrBinding.of(NfsBindings.NFS_PROGRAM, 2)
            .procedure(/* NULL */ 0, VOID)
            .procedure(/* GETATTR */ 1, ATTR_STATUS)
            .procedure(/* SETATTR */ 2, ATTR_STATUS)
            .procedure(/* ROOT */ 3, VOID)
            .procedure(/* LOOKUP */ 4, NEW_OBJECT)
            .procedure(/* READLINK */ 5, result(reducible(MAX_PATH_BYTES), VOID))
            .procedure(
                    /* READ */ 6,
                    struct(FILE_HANDLE, words(1), COUNT),
                    result(struct(FATTR, reducible(MAX_DATA_BYTES)), VOID))
            .procedure(/* WRITECACHE */ 7, VOID)
            .procedure(/* WRITE */ 8, struct(FILE_HANDLE, words(3), reducible()), ATTR_STATUS)
            .procedure(/* CREATE */ 9, NEW_OBJECT)
            .procedure(/* REMOVE */ 10, STATUS)
            .procedure(/* RENAME */ 11, STATUS)
            .procedure(/* LINK */ 12, STATUS)
            .procedure(/* SYMLINK */ 13, struct(FILE_HANDLE, FILE_NAME, reducible(), SATTR), STATUS)
            .procedure(/* MKDIR */ 14, NEW_OBJECT)
            .procedure(/* RMDIR */ 15, STATUS)
            // Some servers count only the entries: the two words that end the list come on top.
            .procedure(/* READDIR */ 16, struct(FILE_HANDLE, words(1), COUNT), result(words(2), VOID))
            .procedure(/* STATFS */ 17, result(words(5), VOID))
            // All that change nothing.
            .repeatable(0, 1, 4, 5, 6, 16, 17);

    private Nfs2() {}
}
