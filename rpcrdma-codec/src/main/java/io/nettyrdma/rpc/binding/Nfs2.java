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
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.words;

import java.util.Set;

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

    /** All that change nothing. */
    private static final Set<Integer> REPEATABLE = Set.of(0, 1, 4, 5, 6, 16, 17);

    static final UpperLayerBinding BINDING = new ProcedureTable(
            REPEATABLE,
            /*  0 NULL       */ Procedure.of(VOID),
            /*  1 GETATTR    */ Procedure.of(ATTR_STATUS),
            /*  2 SETATTR    */ Procedure.of(ATTR_STATUS),
            /*  3 ROOT       */ Procedure.of(VOID),
            /*  4 LOOKUP     */ Procedure.of(NEW_OBJECT),
            /*  5 READLINK   */ Procedure.readLink(MAX_PATH_BYTES, result(reducible(MAX_PATH_BYTES), VOID)),
            /*  6 READ       */ Procedure.read(
                    struct(FILE_HANDLE, words(1)), MAX_DATA_BYTES, result(struct(FATTR, reducible(0)), VOID)),
            /*  7 WRITECACHE */ Procedure.of(VOID),
            /*  8 WRITE      */ Procedure.write(struct(FILE_HANDLE, words(3), reducible(0)), ATTR_STATUS),
            /*  9 CREATE     */ Procedure.of(NEW_OBJECT),
            /* 10 REMOVE     */ Procedure.of(STATUS),
            /* 11 RENAME     */ Procedure.of(STATUS),
            /* 12 LINK       */ Procedure.of(STATUS),
            /* 13 SYMLINK    */ Procedure.write(struct(FILE_HANDLE, FILE_NAME, reducible(0), SATTR), STATUS),
            /* 14 MKDIR      */ Procedure.of(NEW_OBJECT),
            /* 15 RMDIR      */ Procedure.of(STATUS),
            // Some servers count only the entries: the two words that end the list come on top.
            /* 16 READDIR    */ Procedure.list(struct(FILE_HANDLE, words(1)), result(words(2), VOID)),
            /* 17 STATFS     */ Procedure.of(result(words(5), VOID)));

    private Nfs2() {}
}
