// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.XdrType.COUNT;
import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.opaque;
import static io.nettyrdma.rpc.binding.XdrType.optional;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.union;
import static io.nettyrdma.rpc.binding.XdrType.words;

import java.util.Map;

/**
 * NFS version 3 (RFC 1813) over RDMA (RFC 8267, section 4): the data of WRITE and READ and the path names of SYMLINK
 * and READLINK may be reduced, nothing else. Types are named as in RFC 1813.
 */
final class Nfs3 {

    private static final XdrType FILE_HANDLE = opaque(64);
    private static final XdrType FATTR3 = words(21);
    private static final XdrType POST_OP_ATTR = optional(FATTR3);
    private static final XdrType WCC_DATA = struct(optional(words(6)), POST_OP_ATTR);
    private static final XdrType OPTIONAL_TIME = union(Map.of(2, words(2)), VOID);
    private static final XdrType SATTR3 = struct(
            optional(words(1)),
            optional(words(1)),
            optional(words(1)),
            optional(words(2)),
            OPTIONAL_TIME,
            OPTIONAL_TIME);
    private static final XdrType NEW_OBJECT = result(struct(optional(FILE_HANDLE), POST_OP_ATTR, WCC_DATA), WCC_DATA);

    static final UpperLayerBinding BINDING = XdrBinding.of(NfsBindings.NFS_PROGRAM, 3)
            .procedure(/* NULL */ 0, VOID)
            .procedure(/* GETATTR */ 1, result(FATTR3, VOID))
            .procedure(/* SETATTR */ 2, result(WCC_DATA, WCC_DATA))
            .procedure(/* LOOKUP */ 3, result(struct(FILE_HANDLE, POST_OP_ATTR, POST_OP_ATTR), POST_OP_ATTR))
            .procedure(/* ACCESS */ 4, result(struct(POST_OP_ATTR, words(1)), POST_OP_ATTR))
            .procedure(
                    /* READLINK */ 5,
                    result(struct(POST_OP_ATTR, reducible(NfsBindings.EXPECTED_PATH_BYTES)), POST_OP_ATTR))
            .procedure(
                    /* READ */ 6,
                    struct(FILE_HANDLE, words(2), COUNT),
                    result(struct(POST_OP_ATTR, words(2), reducible()), POST_OP_ATTR))
            .procedure(
                    /* WRITE */ 7,
                    struct(FILE_HANDLE, words(4), reducible()),
                    result(struct(WCC_DATA, words(4)), WCC_DATA))
            .procedure(/* CREATE */ 8, NEW_OBJECT)
            .procedure(/* MKDIR */ 9, NEW_OBJECT)
            .procedure(/* SYMLINK */ 10, struct(FILE_HANDLE, opaque(), SATTR3, reducible()), NEW_OBJECT)
            .procedure(/* MKNOD */ 11, NEW_OBJECT)
            .procedure(/* REMOVE */ 12, result(WCC_DATA, WCC_DATA))
            .procedure(/* RMDIR */ 13, result(WCC_DATA, WCC_DATA))
            .procedure(/* RENAME */ 14, result(struct(WCC_DATA, WCC_DATA), struct(WCC_DATA, WCC_DATA)))
            .procedure(/* LINK */ 15, result(struct(POST_OP_ATTR, WCC_DATA), struct(POST_OP_ATTR, WCC_DATA)))
            // Some servers count only the entries, so what precedes and follows them comes on top: attributes,
            // verifier, the two words that end the list.
            .procedure(
                    /* READDIR */ 16,
                    struct(FILE_HANDLE, words(4), COUNT),
                    result(struct(POST_OP_ATTR, words(4)), POST_OP_ATTR))
            .procedure(
                    /* READDIRPLUS */ 17,
                    struct(FILE_HANDLE, words(5), COUNT),
                    result(struct(POST_OP_ATTR, words(4)), POST_OP_ATTR))
            .procedure(/* FSSTAT */ 18, result(struct(POST_OP_ATTR, words(13)), POST_OP_ATTR))
            .procedure(/* FSINFO */ 19, result(struct(POST_OP_ATTR, words(12)), POST_OP_ATTR))
            .procedure(/* PATHCONF */ 20, result(struct(POST_OP_ATTR, words(6)), POST_OP_ATTR))
            .procedure(/* COMMIT */ 21, result(struct(WCC_DATA, words(2)), WCC_DATA))
            // All that change nothing, WRITE, and COMMIT.
            .repeatable(0, 1, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21);

    private Nfs3() {}
}
