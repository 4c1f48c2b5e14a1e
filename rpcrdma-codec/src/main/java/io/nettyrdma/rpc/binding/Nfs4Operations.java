// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static io.nettyrdma.rpc.binding.Nfs4Operation.of;
import static io.nettyrdma.rpc.binding.XdrType.INVALID;
import static io.nettyrdma.rpc.binding.XdrType.UNBOUNDED;
import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.array;
import static io.nettyrdma.rpc.binding.XdrType.expected;
import static io.nettyrdma.rpc.binding.XdrType.list;
import static io.nettyrdma.rpc.binding.XdrType.opaque;
import static io.nettyrdma.rpc.binding.XdrType.optional;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.union;
import static io.nettyrdma.rpc.binding.XdrType.words;

import io.nettyrdma.rpc.binding.Nfs4Operation.Counted;
import java.util.Arrays;
import java.util.Map;

/**
 * The operations of NFS versions 4.0 (RFC 7531), 4.1 (RFC 5662) and 4.2 (RFC 7863): later minor versions add operations
 * and arms of unions and change nothing else. Types are named as there. What those documents leave open is reckoned
 * with the constants here.
 */
final class Nfs4Operations {

    /** A user or group with its domain: 256 octets, {@code @}, a domain name of 255. */
    static final int EXPECTED_OWNER_BYTES = 512;
    /** Words of a bitmap of attributes; those defined need three. */
    private static final int EXPECTED_BITMAP_WORDS = 8;
    /** Flavors in a reply to SECINFO. */
    private static final int EXPECTED_FLAVORS = 16;
    /** The object identifier of a security mechanism. */
    private static final int EXPECTED_OID_BYTES = 32;
    /** Domain and name of an implementation, network identifiers, universal addresses. */
    private static final int EXPECTED_NAME_BYTES = 1024;

    private static final int OPAQUE_LIMIT = 1024;

    static final XdrType BITMAP = expected(array(words(1)), 4 + 4 * EXPECTED_BITMAP_WORDS);
    static final XdrType FILE_HANDLE = opaque(128);

    private static final XdrType NAME = expected(opaque(), 4 + EXPECTED_NAME_BYTES);
    private static final XdrType STATEID = words(4);
    private static final XdrType FATTR = struct(BITMAP, opaque());
    private static final XdrType CHANGE_INFO = words(5);
    private static final XdrType STATUS = words(1);
    private static final XdrType STATE_OWNER = struct(words(2), opaque(OPAQUE_LIMIT));
    private static final XdrType NETADDR = struct(NAME, NAME);
    private static final XdrType ACE = struct(words(3), expected(opaque(), 4 + EXPECTED_OWNER_BYTES));
    private static final XdrType LAYOUT_UPDATE = struct(words(1), opaque());

    private static final XdrType LOCKER = union(Map.of(0, words(5), 1, struct(words(6), STATE_OWNER)), INVALID);
    private static final XdrType LOCK_DENIED = struct(words(5), STATE_OWNER);

    private static final XdrType CREATE_TYPE =
            union(Map.of(3, words(2), 4, words(2), 5, reducible(0)), VOID); // V1-035, V2-037
    private static final XdrType CREATE_HOW =
            union(Map.of(0, FATTR, 1, FATTR, 2, words(2), 3, struct(words(2), FATTR)), INVALID);
    private static final XdrType OPEN_CLAIM = union(
            Map.of(
                    0, opaque(),
                    1, words(1),
                    2, struct(STATEID, opaque()),
                    3, opaque(),
                    4, VOID,
                    5, STATEID,
                    6, VOID),
            INVALID);
    private static final XdrType SPACE_LIMIT = union(Map.of(1, words(2), 2, words(2)), INVALID);
    private static final XdrType NO_DELEGATION = union(Map.of(1, words(1), 2, words(1)), VOID);
    private static final XdrType OPEN_DELEGATION = union(
            Map.of(
                    0,
                    VOID,
                    1,
                    struct(STATEID, words(1), ACE),
                    2,
                    struct(STATEID, words(1), SPACE_LIMIT, ACE),
                    3,
                    NO_DELEGATION),
            INVALID);

    private static final XdrType SEC_FLAVOR =
            union(Map.of(6, struct(expected(opaque(), 4 + EXPECTED_OID_BYTES), words(2))), VOID);
    private static final XdrType SEC_FLAVORS =
            expected(array(SEC_FLAVOR), 4 + EXPECTED_FLAVORS * SEC_FLAVOR.maxBytes());

    private static final XdrType CALLBACK_SEC = union(
            Map.of(
                    0, VOID,
                    1, struct(words(1), opaque(255), words(2), array(words(1), 16)),
                    6, struct(words(1), opaque(), opaque())),
            INVALID);
    private static final XdrType CHANNEL_ATTRS = struct(words(6), array(words(1), 1));
    private static final XdrType IMPL_ID = array(struct(NAME, NAME, words(3)), 1);
    private static final XdrType PROTECT_OPS = struct(BITMAP, BITMAP);
    private static final int SP4_SSV = 2;
    private static final XdrType BEFORE_PROTECT = struct(words(2), opaque(OPAQUE_LIMIT), words(1));
    private static final XdrType PROTECT_ARGS = union(
            Map.of(
                    0, VOID,
                    1, PROTECT_OPS,
                    2, struct(PROTECT_OPS, array(opaque()), array(opaque()), words(2))),
            INVALID);
    /** The arm of SP4_SSV has no limit; it is only there if the call has it. */
    private static final XdrType PROTECT_RESULT = expected(
            union(Map.of(0, VOID, 1, PROTECT_OPS, 2, struct(PROTECT_OPS, words(4), array(opaque()))), INVALID),
            4 + PROTECT_OPS.maxBytes());

    private static final XdrType NETLOC = union(Map.of(1, opaque(), 2, opaque(), 3, NETADDR), INVALID);
    private static final XdrType WRITE_RESPONSE = struct(array(STATEID, 1), words(5));
    private static final XdrType READ_PLUS_CONTENT = union(Map.of(0, struct(words(2), opaque()), 1, words(4)), VOID);
    private static final XdrType LAYOUT = struct(words(6), opaque());

    private static final int TOO_SMALL = 10005;
    private static final int DENIED = 10010;
    private static final int CLID_INUSE = 10017;
    private static final int LAYOUT_TRY_LATER = 10058;
    private static final int OFFLOAD_NO_REQS = 10094;
    private static final int OP_ILLEGAL = 10044;

    private static final Nfs4Operation ILLEGAL = of(VOID, STATUS);
    private static final Nfs4Operation UNKNOWN = of(INVALID, INVALID);
    private static final Nfs4Operation[] BY_NUMBER = new Nfs4Operation[72];

    static {
        Arrays.fill(BY_NUMBER, UNKNOWN);
        minorVersion0();
        minorVersion1();
        minorVersion2();
    }

    private Nfs4Operations() {}

    /** The operation with this number; one that cannot be stepped over if it is not known. */
    static Nfs4Operation byNumber(int number) {
        if (number == OP_ILLEGAL) {
            return ILLEGAL;
        }
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : UNKNOWN;
    }

    private static void minorVersion0() {
        op(3, of(words(1), ok(words(2)))); // ACCESS
        op(4, of(words(5), ok(STATEID))); // CLOSE
        op(5, of(words(3), ok(words(2)))); // COMMIT
        op(6, of(struct(CREATE_TYPE, opaque(), FATTR), ok(struct(CHANGE_INFO, BITMAP)))); // CREATE
        op(7, of(words(2), STATUS)); // DELEGPURGE
        op(8, of(STATEID, STATUS)); // DELEGRETURN
        op(9, of(BITMAP, ok(expected(FATTR, 0))).adding(Nfs4Attributes::maxBytes)); // GETATTR
        op(10, of(VOID, ok(FILE_HANDLE))); // GETFH
        op(11, of(opaque(), ok(CHANGE_INFO))); // LINK
        op(12, of(struct(words(6), LOCKER), union(Map.of(0, STATEID, DENIED, LOCK_DENIED), VOID))); // LOCK
        op(13, of(struct(words(5), STATE_OWNER), union(Map.of(DENIED, LOCK_DENIED), VOID))); // LOCKT
        op(14, of(words(10), ok(STATEID))); // LOCKU
        op(15, of(opaque(), STATUS)); // LOOKUP
        op(16, of(VOID, STATUS)); // LOOKUPP
        op(17, of(FATTR, STATUS)); // NVERIFY
        op(
                18,
                of( // OPEN
                        struct(words(3), STATE_OWNER, union(Map.of(1, CREATE_HOW), VOID), OPEN_CLAIM),
                        ok(struct(STATEID, CHANGE_INFO, words(1), BITMAP, OPEN_DELEGATION))));
        op(19, of(words(1), STATUS)); // OPENATTR
        op(20, of(words(5), ok(STATEID))); // OPEN_CONFIRM
        op(21, of(words(7), ok(STATEID))); // OPEN_DOWNGRADE
        op(22, of(FILE_HANDLE, STATUS)); // PUTFH
        op(23, of(VOID, STATUS)); // PUTPUBFH
        op(24, of(VOID, STATUS)); // PUTROOTFH
        op(25, of(words(7), ok(struct(words(1), reducible(0)))).reducible(count(6))); // READ
        op(
                26,
                of( // READDIR
                                struct(words(6), BITMAP),
                                ok(struct(words(2), expected(list(struct(words(2), opaque(), FATTR)), 4), words(1))))
                        .adding(count(5)));
        op(27, of(VOID, ok(reducible(0))).reducible(none -> NfsBindings.EXPECTED_PATH_BYTES)); // READLINK
        op(28, of(opaque(), ok(CHANGE_INFO))); // REMOVE
        op(29, of(struct(opaque(), opaque()), ok(struct(CHANGE_INFO, CHANGE_INFO)))); // RENAME
        op(30, of(words(2), STATUS)); // RENEW
        op(31, of(VOID, STATUS)); // RESTOREFH
        op(32, of(VOID, STATUS)); // SAVEFH
        op(33, of(opaque(), ok(SEC_FLAVORS))); // SECINFO
        op(34, of(struct(STATEID, FATTR), struct(STATUS, BITMAP))); // SETATTR
        op(
                35,
                of( // SETCLIENTID
                        struct(words(2), opaque(OPAQUE_LIMIT), words(1), NETADDR, words(1)),
                        union(Map.of(0, words(4), CLID_INUSE, NETADDR), VOID)));
        op(36, of(words(4), STATUS)); // SETCLIENTID_CONFIRM
        op(37, of(FATTR, STATUS)); // VERIFY
        op(38, of(struct(words(7), reducible(0)), ok(words(4)))); // WRITE
        op(39, of(STATE_OWNER, STATUS)); // RELEASE_LOCKOWNER
    }

    private static void minorVersion1() {
        op(40, of(struct(words(1), array(CALLBACK_SEC)), STATUS)); // BACKCHANNEL_CTL
        op(41, of(words(6), ok(words(6)))); // BIND_CONN_TO_SESSION
        op(
                42,
                of( // EXCHANGE_ID
                                struct(BEFORE_PROTECT, PROTECT_ARGS, IMPL_ID),
                                ok(struct(
                                        words(4),
                                        PROTECT_RESULT,
                                        words(2),
                                        opaque(OPAQUE_LIMIT),
                                        opaque(OPAQUE_LIMIT),
                                        IMPL_ID)))
                        .adding(Nfs4Operations::protection));
        op(
                43,
                of( // CREATE_SESSION
                        struct(words(4), CHANNEL_ATTRS, CHANNEL_ATTRS, words(1), array(CALLBACK_SEC)),
                        ok(struct(words(6), CHANNEL_ATTRS, CHANNEL_ATTRS))));
        op(44, of(words(4), STATUS)); // DESTROY_SESSION
        op(45, of(STATEID, STATUS)); // FREE_STATEID
        op(
                46,
                of( // GET_DIR_DELEGATION
                        struct(words(1), BITMAP, words(6), BITMAP, BITMAP),
                        ok(union(Map.of(0, struct(words(6), BITMAP, BITMAP, BITMAP), 1, words(1)), INVALID))));
        op(
                47,
                of( // GETDEVICEINFO
                                struct(words(6), BITMAP),
                                union(
                                        Map.of(0, struct(words(1), expected(opaque(), 4), BITMAP), TOO_SMALL, words(1)),
                                        VOID))
                        .adding(count(5)));
        op(
                48,
                of(words(6), ok(struct(words(4), expected(array(words(4)), 4), words(1)))) // GETDEVICELIST
                        .adding(in -> 16 * count(1).bytes(in)));
        op(
                49,
                of( // LAYOUTCOMMIT
                        struct(words(9), optional(words(2)), optional(words(3)), LAYOUT_UPDATE),
                        ok(optional(words(2)))));
        op(
                50,
                of( // LAYOUTGET
                                words(14),
                                union(
                                        Map.of(
                                                0,
                                                struct(words(5), expected(array(LAYOUT), 4)),
                                                LAYOUT_TRY_LATER,
                                                words(1)),
                                        VOID))
                        .adding(count(13)));
        op(
                51,
                of( // LAYOUTRETURN
                        struct(words(3), union(Map.of(1, struct(words(8), opaque())), VOID)), ok(optional(STATEID))));
        op(52, of(words(1), ok(SEC_FLAVORS))); // SECINFO_NO_NAME
        op(53, of(words(8), ok(words(9)))); // SEQUENCE
        op(54, of(struct(opaque(), opaque()), ok(opaque()))); // SET_SSV
        op(
                55,
                of(array(STATEID), ok(expected(array(words(1)), 4))) // TEST_STATEID
                        .adding(in -> 4 * count(0).bytes(in)));
        op(
                56,
                of(
                        struct(words(1), union(Map.of(1, words(1), 4, VOID, 6, VOID), INVALID)),
                        ok(OPEN_DELEGATION))); // WANT_DELEGATION
        op(57, of(words(2), STATUS)); // DESTROY_CLIENTID
        op(58, of(words(1), STATUS)); // RECLAIM_COMPLETE
    }

    private static void minorVersion2() {
        op(59, of(words(8), STATUS)); // ALLOCATE
        op(
                60,
                of( // COPY
                        struct(words(16), array(NETLOC)),
                        union(Map.of(0, struct(WRITE_RESPONSE, words(2)), OFFLOAD_NO_REQS, words(2)), VOID)));
        op(61, of(struct(STATEID, NETLOC), ok(struct(words(7), array(NETLOC))))); // COPY_NOTIFY
        op(62, of(words(8), STATUS)); // DEALLOCATE
        op(63, of(struct(words(8), BITMAP), ok(BITMAP))); // IO_ADVISE
        op(64, of(struct(words(8), array(words(6))), STATUS)); // LAYOUTERROR
        op(65, of(struct(words(20), LAYOUT_UPDATE), STATUS)); // LAYOUTSTATS
        op(66, of(STATEID, STATUS)); // OFFLOAD_CANCEL
        op(67, of(STATEID, ok(struct(words(2), array(words(1), 1))))); // OFFLOAD_STATUS
        // Its data is not reducible, and holes may divide it into any number of parts.
        op(68, of(words(7), ok(struct(words(1), array(READ_PLUS_CONTENT))))); // READ_PLUS
        op(69, of(words(7), ok(words(3)))); // SEEK
        op(70, of(struct(words(16), opaque()), ok(WRITE_RESPONSE))); // WRITE_SAME
        op(71, of(words(14), STATUS)); // CLONE
    }

    private static void op(int number, Nfs4Operation operation) {
        BY_NUMBER[number] = operation;
    }

    private static XdrType ok(XdrType type) {
        return result(type, VOID);
    }

    /** The count that lies behind so many words of arguments. */
    private static Counted count(int words) {
        return in -> {
            in.skip(4L * words);
            return in.readUnsigned();
        };
    }

    private static long protection(XdrCursor arguments) {
        BEFORE_PROTECT.skip(arguments);
        return arguments.readInt() == SP4_SSV ? UNBOUNDED : 0;
    }
}
