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
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.opaque;
import static io.nettyrdma.rpc.binding.XdrType.optional;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.union;
import static io.nettyrdma.rpc.binding.XdrType.words;

import java.util.Map;
import java.util.Set;

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

    /** All that change nothing, WRITE, and COMMIT. */
    private static final Set<Integer> REPEATABLE = Set.of(0, 1, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21);

    static final UpperLayerBinding BINDING = new ProcedureTable(
            REPEATABLE,
            /*  0 NULL        */ Procedure.of(VOID),
            /*  1 GETATTR     */ Procedure.of(result(FATTR3, VOID)),
            /*  2 SETATTR     */ Procedure.of(result(WCC_DATA, WCC_DATA)),
            /*  3 LOOKUP      */ Procedure.of(result(struct(FILE_HANDLE, POST_OP_ATTR, POST_OP_ATTR), POST_OP_ATTR)),
            /*  4 ACCESS      */ Procedure.of(result(struct(POST_OP_ATTR, words(1)), POST_OP_ATTR)),
            /*  5 READLINK    */ Procedure.readLink(
                    NfsBindings.EXPECTED_PATH_BYTES,
                    result(struct(POST_OP_ATTR, reducible(NfsBindings.EXPECTED_PATH_BYTES)), POST_OP_ATTR)),
            /*  6 READ        */ Procedure.read(
                    struct(FILE_HANDLE, words(2)),
                    XdrType.UNBOUNDED,
                    result(struct(POST_OP_ATTR, words(2), reducible(0)), POST_OP_ATTR)),
            /*  7 WRITE       */ Procedure.write(
                    struct(FILE_HANDLE, words(4), reducible(0)), result(struct(WCC_DATA, words(4)), WCC_DATA)),
            /*  8 CREATE      */ Procedure.of(NEW_OBJECT),
            /*  9 MKDIR       */ Procedure.of(NEW_OBJECT),
            /* 10 SYMLINK     */ Procedure.write(struct(FILE_HANDLE, opaque(), SATTR3, reducible(0)), NEW_OBJECT),
            /* 11 MKNOD       */ Procedure.of(NEW_OBJECT),
            /* 12 REMOVE      */ Procedure.of(result(WCC_DATA, WCC_DATA)),
            /* 13 RMDIR       */ Procedure.of(result(WCC_DATA, WCC_DATA)),
            /* 14 RENAME      */ Procedure.of(result(struct(WCC_DATA, WCC_DATA), struct(WCC_DATA, WCC_DATA))),
            /* 15 LINK        */ Procedure.of(result(struct(POST_OP_ATTR, WCC_DATA), struct(POST_OP_ATTR, WCC_DATA))),
            // Some servers count only the entries, so what precedes and follows them comes on top: attributes,
            // verifier,
            // the two words that end the list.
            /* 16 READDIR     */ Procedure.list(
                    struct(FILE_HANDLE, words(4)), result(struct(POST_OP_ATTR, words(4)), POST_OP_ATTR)),
            /* 17 READDIRPLUS */ Procedure.list(
                    struct(FILE_HANDLE, words(5)), result(struct(POST_OP_ATTR, words(4)), POST_OP_ATTR)),
            /* 18 FSSTAT      */ Procedure.of(result(struct(POST_OP_ATTR, words(13)), POST_OP_ATTR)),
            /* 19 FSINFO      */ Procedure.of(result(struct(POST_OP_ATTR, words(12)), POST_OP_ATTR)),
            /* 20 PATHCONF    */ Procedure.of(result(struct(POST_OP_ATTR, words(6)), POST_OP_ATTR)),
            /* 21 COMMIT      */ Procedure.of(result(struct(WCC_DATA, words(2)), WCC_DATA)));

    private Nfs3() {}
}
