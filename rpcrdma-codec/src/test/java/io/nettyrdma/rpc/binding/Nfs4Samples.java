// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import java.util.ArrayList;
import java.util.List;

/** One or more samples of the arguments and results of every operation of NFS version 4, written field by field. */
final class Nfs4Samples {

    /** Arguments and result of one operation; the result begins with its status. */
    record Sample(String name, int number, XdrMessage arguments, XdrMessage result) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Sample> ALL = new ArrayList<>();

    static {
        add("ACCESS", 3, words(0x3f), ok().words(0x3f, 0x1f));
        add("CLOSE", 4, words(7).raw(stateid()), ok().raw(stateid()));
        add("COMMIT", 5, words(0, 4096, 512), ok().words(0x1111, 0x2222));
        add(
                "CREATE directory",
                6,
                words(2).opaque(5).raw(attributes()),
                ok().raw(change()).raw(bitmap()));
        add(
                "CREATE device",
                6,
                words(4, 8, 1).opaque(5).raw(attributes()),
                ok().raw(change()).raw(bitmap()));
        add("DELEGPURGE", 7, words(1, 2), ok());
        add("DELEGRETURN", 8, stateid(), ok());
        add("GETATTR", 9, bitmap(), ok().raw(attributes()));
        add("GETFH", 10, XdrMessage.empty(), ok().opaque(27));
        add("LINK", 11, opaque(9), ok().raw(change()));
        XdrMessage newLocker = words(1, 5).raw(stateid()).words(6).raw(owner());
        XdrMessage denied = words(10010, 0, 100, 0, 200, 2).raw(owner());
        add("LOCK new owner", 12, words(1, 0, 0, 100, 0, 200).raw(newLocker), ok().raw(stateid()));
        add("LOCK denied", 12, words(1, 0, 0, 100, 0, 200, 0).raw(stateid()).words(6), denied);
        add("LOCKT", 13, words(2, 0, 100, 0, 200).raw(owner()), ok());
        add("LOCKT denied", 13, words(2, 0, 100, 0, 200).raw(owner()), denied);
        add("LOCKU", 14, words(2, 6).raw(stateid()).words(0, 100, 0, 200), ok().raw(stateid()));
        add("LOOKUP", 15, opaque(1), ok());
        add("LOOKUPP", 16, XdrMessage.empty(), ok());
        add("NVERIFY", 17, attributes(), ok());
        opens();
        add("OPENATTR", 19, words(1), ok());
        add("OPEN_CONFIRM", 20, stateid().words(3), ok().raw(stateid()));
        add("OPEN_DOWNGRADE", 21, stateid().words(3, 1, 0), ok().raw(stateid()));
        add("PUTFH", 22, opaque(128), ok());
        add("PUTPUBFH", 23, XdrMessage.empty(), ok());
        add("PUTROOTFH", 24, XdrMessage.empty(), ok());
        XdrMessage entries = words(1, 0, 77)
                .opaque(3)
                .raw(attributes())
                .words(1, 0, 78)
                .opaque(6)
                .raw(attributes());
        add(
                "READDIR",
                26,
                words(0, 0, 1, 2, 512, 4096).raw(bitmap()),
                ok().words(5, 6).raw(entries).words(0, 1));
        add("REMOVE", 28, opaque(2), ok().raw(change()));
        add("RENAME", 29, opaque(2).opaque(3), ok().raw(change()).raw(change()));
        add("RENEW", 30, words(1, 2), ok());
        add("RESTOREFH", 31, XdrMessage.empty(), ok());
        add("SAVEFH", 32, XdrMessage.empty(), ok());
        XdrMessage flavors =
                ok().words(3, 1, 6).opaque(9).words(0, 2).words(6).opaque(9).words(0, 3);
        add("SECINFO", 33, opaque(4), flavors);
        add("SETATTR", 34, stateid().raw(attributes()), ok().raw(bitmap()));
        XdrMessage clientId =
                words(8, 9).opaque(20).words(0x40000000).opaque(3).opaque(17).words(1);
        add("SETCLIENTID", 35, clientId, ok().words(1, 2, 3, 4));
        add("SETCLIENTID in use", 35, clientId, words(10017).opaque(3).opaque(17));
        add("SETCLIENTID_CONFIRM", 36, words(1, 2, 3, 4), ok());
        add("VERIFY", 37, attributes(), ok());
        add("RELEASE_LOCKOWNER", 39, owner(), ok());
        sessions();
        layouts();
        minorVersion2();
        add("ILLEGAL", 10044, XdrMessage.empty(), words(10044));
    }

    private Nfs4Samples() {}

    static List<Sample> all() {
        return ALL;
    }

    private static void opens() {
        XdrMessage start = words(1, 1, 0).raw(owner());
        XdrMessage opened = ok().raw(stateid()).raw(change()).words(4).raw(bitmap());
        XdrMessage ace = words(0, 0, 0x1f).opaque(11);
        add("OPEN existing", 18, copy(start).words(0, 0).opaque(3), copy(opened).words(0));
        add(
                "OPEN unchecked, read delegation",
                18,
                copy(start).words(1, 0).raw(attributes()).words(0).opaque(3),
                copy(opened).words(1).raw(stateid()).words(0).raw(ace));
        add(
                "OPEN exclusive, size limit",
                18,
                copy(start).words(1, 2, 8, 9).words(1, 2),
                copy(opened).words(2).raw(stateid()).words(0).words(1, 0, 99).raw(ace));
        add(
                "OPEN exclusive 4.1, block limit",
                18,
                copy(start).words(1, 3, 8, 9).raw(attributes()).words(4),
                copy(opened).words(2).raw(stateid()).words(0).words(2, 10, 512).raw(ace));
        add(
                "OPEN delegated, no delegation",
                18,
                copy(start).words(0, 2).raw(stateid()).opaque(3),
                copy(opened).words(3, 1, 1));
        add("OPEN previous", 18, copy(start).words(0, 3).opaque(3), copy(opened).words(3, 2, 1));
        add(
                "OPEN by handle",
                18,
                copy(start).words(0, 5).raw(stateid()),
                copy(opened).words(3, 0));
        add("OPEN previous by handle", 18, copy(start).words(0, 6), copy(opened).words(0));
    }

    private static void sessions() {
        XdrMessage sys = words(1, 77).opaque(4).words(0, 0, 2, 10, 20);
        XdrMessage gss = words(6, 1).opaque(4).opaque(8);
        XdrMessage channel = words(0, 1, 2, 3, 4, 5, 0);
        XdrMessage withIrd = words(0, 1, 2, 3, 4, 5, 1, 16);
        XdrMessage implementation = words(1).opaque(7).opaque(30).words(0, 1, 2);
        XdrMessage ops = bitmap().raw(bitmap());
        add("BACKCHANNEL_CTL", 40, words(9, 3, 0).raw(sys).raw(gss), ok());
        add(
                "BIND_CONN_TO_SESSION",
                41,
                stateid().words(3, 0),
                ok().raw(stateid()).words(3, 0));
        XdrMessage who = words(1, 2).opaque(19).words(0x101);
        XdrMessage server = words(0, 1).opaque(10).opaque(10);
        add(
                "EXCHANGE_ID",
                42,
                copy(who).words(0).raw(implementation),
                ok().words(1, 2, 3, 4).words(0).raw(server).words(0));
        add(
                "EXCHANGE_ID machine credential",
                42,
                copy(who).words(1).raw(ops).words(0),
                ok().words(1, 2, 3, 4).words(1).raw(ops).raw(server).raw(implementation));
        add(
                "EXCHANGE_ID SSV",
                42,
                copy(who)
                        .words(2)
                        .raw(ops)
                        .words(1)
                        .opaque(9)
                        .words(2)
                        .opaque(9)
                        .opaque(11)
                        .words(8, 1)
                        .words(0),
                ok().words(1, 2, 3, 4)
                        .words(2)
                        .raw(ops)
                        .words(0, 0, 32, 8)
                        .words(2)
                        .opaque(4)
                        .opaque(5)
                        .raw(server)
                        .words(0));
        add(
                "CREATE_SESSION",
                43,
                words(1, 2, 3, 0).raw(channel).raw(withIrd).words(9, 2).raw(sys).words(0),
                ok().raw(stateid()).words(1, 0).raw(withIrd).raw(channel));
        add("DESTROY_SESSION", 44, stateid(), ok());
        add("FREE_STATEID", 45, stateid(), ok());
        XdrMessage directory =
                words(0).raw(bitmap()).words(0, 1, 2, 0, 1, 2).raw(bitmap()).raw(bitmap());
        add(
                "GET_DIR_DELEGATION",
                46,
                directory,
                ok().words(0, 1, 2).raw(stateid()).raw(bitmap()).raw(bitmap()).raw(bitmap()));
        add("GET_DIR_DELEGATION unavailable", 46, directory, ok().words(1, 0));
        add("SECINFO_NO_NAME", 52, words(0), ok().words(1, 1));
        add("SEQUENCE", 53, stateid().words(1, 2, 3, 1), ok().raw(stateid()).words(1, 2, 3, 4, 0));
        add("SET_SSV", 54, opaque(32).opaque(20), ok().opaque(20));
        add("TEST_STATEID", 55, words(2).raw(stateid()).raw(stateid()), ok().words(2, 0, 10025));
        add("WANT_DELEGATION", 56, words(1, 4), ok().words(3, 0));
        add("WANT_DELEGATION previous", 56, words(1, 1, 2), ok().words(0));
        add("DESTROY_CLIENTID", 57, words(1, 2), ok());
        add("RECLAIM_COMPLETE", 58, words(0), ok());
    }

    private static void layouts() {
        add(
                "GETDEVICEINFO",
                47,
                stateid().words(1, 4096).raw(bitmap()),
                ok().words(1).opaque(61).raw(bitmap()));
        add("GETDEVICEINFO too small", 47, stateid().words(1, 10).raw(bitmap()), words(10005, 100));
        add(
                "GETDEVICELIST",
                48,
                words(1, 2, 0, 0, 0, 0),
                ok().words(0, 1, 2, 3, 1).raw(stateid()).words(1));
        XdrMessage commit = words(0, 0, 0, 100, 0).raw(stateid());
        add("LAYOUTCOMMIT", 49, copy(commit).words(0, 0, 1).opaque(3), ok().words(0));
        add(
                "LAYOUTCOMMIT all",
                49,
                copy(commit).words(1, 0, 99).words(1, 0, 1, 2).words(1).opaque(0),
                ok().words(1, 0, 100));
        XdrMessage get = words(0, 1, 1, 0, 0, 0, 100, 0, 50).raw(stateid()).words(4096);
        add(
                "LAYOUTGET",
                50,
                get,
                ok().words(1).raw(stateid()).words(1).words(0, 0, 0, 100, 1, 1).opaque(70));
        add("LAYOUTGET later", 50, get, words(10058, 1));
        add("LAYOUTRETURN all", 51, words(0, 1, 3, 3), ok().words(0));
        add(
                "LAYOUTRETURN file",
                51,
                words(0, 1, 3, 1).words(0, 0, 0, 100).raw(stateid()).opaque(6),
                ok().words(1).raw(stateid()));
    }

    private static void minorVersion2() {
        XdrMessage range = stateid().words(0, 100, 0, 200);
        XdrMessage copied = words(0, 300, 2, 8, 9);
        add("ALLOCATE", 59, range, ok());
        XdrMessage from = stateid().raw(stateid()).words(0, 1, 0, 2, 0, 3, 1, 1);
        add("COPY", 60, copy(from).words(0), ok().words(0).raw(copied).words(1, 1));
        add(
                "COPY from elsewhere",
                60,
                copy(from)
                        .words(3, 1)
                        .opaque(3)
                        .words(2)
                        .opaque(5)
                        .words(3)
                        .opaque(3)
                        .opaque(9),
                ok().words(1).raw(stateid()).raw(copied).words(1, 0));
        add("COPY refused", 60, copy(from).words(0), words(10094, 1, 0));
        add(
                "COPY_NOTIFY",
                61,
                stateid().words(1).opaque(5),
                ok().words(0, 1, 2).raw(stateid()).words(1, 2).opaque(5));
        add("DEALLOCATE", 62, range, ok());
        add("IO_ADVISE", 63, copy(range).raw(bitmap()), ok().raw(bitmap()));
        add(
                "LAYOUTERROR",
                64,
                words(0, 0, 0, 1).raw(stateid()).words(1).raw(stateid()).words(5, 25),
                ok());
        add(
                "LAYOUTSTATS",
                65,
                words(0, 0, 0, 1)
                        .raw(stateid())
                        .words(0, 1, 0, 2)
                        .words(0, 3, 0, 4)
                        .raw(stateid())
                        .words(4)
                        .opaque(3),
                ok());
        add("OFFLOAD_CANCEL", 66, stateid(), ok());
        add("OFFLOAD_STATUS", 67, stateid(), ok().words(0, 1, 1, 0));
        add(
                "READ_PLUS",
                68,
                stateid().words(0, 0, 4096),
                ok().words(1, 2, 0, 0, 0).opaque(10).words(1, 0, 10, 0, 4086));
        add("SEEK", 69, stateid().words(0, 0, 1), ok().words(0, 0, 512));
        add(
                "WRITE_SAME",
                70,
                stateid().words(2, 0, 0, 0, 1, 0, 2, 0, 3, 4, 0, 5).opaque(6),
                ok().words(0).raw(copied));
        add("CLONE", 71, stateid().raw(stateid()).words(0, 1, 0, 2, 0, 3), ok());
    }

    private static void add(String name, int number, XdrMessage arguments, XdrMessage result) {
        ALL.add(new Sample(name, number, arguments, result));
    }

    private static XdrMessage words(int... words) {
        return XdrMessage.empty().words(words);
    }

    private static XdrMessage opaque(int bytes) {
        return XdrMessage.empty().opaque(bytes);
    }

    private static XdrMessage ok() {
        return words(0);
    }

    private static XdrMessage copy(XdrMessage other) {
        return XdrMessage.empty().raw(other);
    }

    /** Also the shape of a session and of a device. */
    static XdrMessage stateid() {
        return words(1, 2, 3, 4);
    }

    private static XdrMessage bitmap() {
        return words(2, 0x10, 0x20);
    }

    private static XdrMessage attributes() {
        return bitmap().opaque(13);
    }

    private static XdrMessage change() {
        return words(1, 0, 5, 0, 6);
    }

    private static XdrMessage owner() {
        return words(1, 2).opaque(14);
    }
}
