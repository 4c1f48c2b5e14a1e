// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.array;
import static io.nettyrdma.rpc.binding.XdrType.expected;
import static io.nettyrdma.rpc.binding.XdrType.optional;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.words;

/**
 * NFSACL, a protocol without a public definition that goes over the connection of NFS versions 2 and 3: nothing may be
 * reduced, and replies get long (RFC 8267, section 5.2).
 */
final class NfsAcl {

    /** Entries of a list to expect; the protocol sets no limit, this is the one of Linux. */
    private static final int EXPECTED_ENTRIES = 1024;

    /** Type, user or group, rights. */
    private static final XdrType ENTRY = words(3);
    /** The number of entries, then the list, which has the number once more. */
    private static final XdrType ACL =
            struct(words(1), expected(array(ENTRY), 4 + EXPECTED_ENTRIES * ENTRY.maxBytes()));
    /** Which lists there are, the list of the object, the list for new objects in a directory. */
    private static final XdrType ACLS = struct(words(1), ACL, ACL);

    private static final XdrType POST_OP_ATTR = optional(words(21));

    static final UpperLayerBinding BINDING_2 = XdrBinding.of(NfsBindings.NFSACL_PROGRAM, 2)
            .procedure(/* NULL */ 0, VOID)
            .procedure(/* GETACL */ 1, result(struct(Nfs2.FATTR, ACLS), VOID))
            .procedure(/* SETACL */ 2, result(Nfs2.FATTR, VOID))
            .procedure(/* GETATTR */ 3, result(Nfs2.FATTR, VOID))
            .procedure(/* ACCESS */ 4, result(struct(Nfs2.FATTR, words(1)), VOID))
            .repeatable(0, 1, 3, 4);

    static final UpperLayerBinding BINDING_3 = XdrBinding.of(NfsBindings.NFSACL_PROGRAM, 3)
            .procedure(/* NULL */ 0, VOID)
            .procedure(/* GETACL */ 1, result(struct(POST_OP_ATTR, ACLS), POST_OP_ATTR))
            .procedure(/* SETACL */ 2, result(POST_OP_ATTR, POST_OP_ATTR))
            .repeatable(0, 1);

    private NfsAcl() {}
}
