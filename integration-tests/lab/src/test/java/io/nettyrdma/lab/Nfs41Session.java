// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.lab.Nfs41Operation.BIND_CONN_TO_SESSION;
import static io.nettyrdma.lab.Nfs41Operation.CREATE;
import static io.nettyrdma.lab.Nfs41Operation.CREATE_SESSION;
import static io.nettyrdma.lab.Nfs41Operation.DELEGRETURN;
import static io.nettyrdma.lab.Nfs41Operation.EXCHANGE_ID;
import static io.nettyrdma.lab.Nfs41Operation.GETFH;
import static io.nettyrdma.lab.Nfs41Operation.LOOKUP;
import static io.nettyrdma.lab.Nfs41Operation.OPEN;
import static io.nettyrdma.lab.Nfs41Operation.PUTFH;
import static io.nettyrdma.lab.Nfs41Operation.PUTROOTFH;
import static io.nettyrdma.lab.Nfs41Operation.READ;
import static io.nettyrdma.lab.Nfs41Operation.RECLAIM_COMPLETE;
import static io.nettyrdma.lab.Nfs41Operation.SEQUENCE;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * As much of an NFS 4.1 client (RFC 8881) as it takes to be called back, and to have several long arguments in one
 * call: a session of one slot whose connection is the server's way back, too. Several of them may share a connection.
 * It leaves its state to be expired.
 *
 * <p>Threading: one thread at a time. Ownership: the connection stays the caller's.
 */
final class Nfs41Session {
    private static final int CONN_BACK_CHAN = 2;
    private static final int FORE_AND_BACK = 3;
    private static final int ACCESS_READ = 1;
    private static final int WANT_READ_DELEGATION = 0x100;
    private static final int DELEGATION_READ = 1;

    /** {@code NF4LNK}. */
    private static final int SYMBOLIC_LINK = 5;

    /** Longest callback and answer: what Linux' own client says with 4,096 octets inline. */
    private static final int CALLBACK_BYTES = 4068;

    /**
     * A file that is open for reading, and that the server promises to recall before anybody writes to it.
     *
     * @param open stateid
     * @param stateid of the delegation
     */
    record Delegation(String file, String open, String stateid) {}

    private final RpcRdmaClient rpc;
    private final String owner;
    private final Duration limit;
    private final long clientId;
    private final String id;
    private int sequence;
    private int statusFlags;

    /**
     * Makes itself known to the server, with a session.
     *
     * @param owner name of the client, unique
     * @param callbackProgram that callbacks are to be for
     */
    Nfs41Session(RpcRdmaClient rpc, String owner, int callbackProgram, Duration limit) throws Exception {
        this.rpc = rpc;
        this.owner = owner;
        this.limit = limit;
        ByteBuf identity = call(begin(EXCHANGE_ID)
                        .hyper(new Random().nextLong()) // of this incarnation of the client
                        .text(owner)
                        .words(0, 0, 0)) // no flags, no protection of state, nothing about the implementation
                .result(EXCHANGE_ID);
        clientId = identity.readLong();
        int createSequence = identity.readInt();
        ByteBuf session = call(begin(CREATE_SESSION)
                        .hyper(clientId)
                        .words(createSequence, CONN_BACK_CHAN)
                        // Of each channel: padding, longest call, longest reply, longest cached one, operations, calls
                        // at a time, nothing about RDMA.
                        .words(0, 65_536, 65_536, 4096, 16, 1, 0)
                        .words(0, CALLBACK_BYTES, CALLBACK_BYTES, 0, 2, 1, 0)
                        .words(callbackProgram)
                        .callbackSecurity())
                .result(CREATE_SESSION);
        id = Compound.readFixed(session, Compound.SESSION_ID_BYTES);
        session.skipBytes(4);
        if (session.readInt() != CONN_BACK_CHAN) {
            throw new IOException("the server does not want this connection as back channel");
        }
        call(inSession().operation(RECLAIM_COMPLETE).words(0));
    }

    String owner() {
        return owner;
    }

    String id() {
        return id;
    }

    /** The union of the status flags of all replies so far. */
    int statusFlags() {
        return statusFlags;
    }

    /** A round trip that tells the server nothing but that there is somebody. */
    void renew() throws Exception {
        call(inSession());
    }

    /** Makes a new connection one that the server may call back on. */
    void bindConnection() throws Exception {
        ByteBuf bound = call(begin(BIND_CONN_TO_SESSION).fixed(id).words(FORE_AND_BACK, 0))
                .result(BIND_CONN_TO_SESSION);
        bound.skipBytes(Compound.SESSION_ID_BYTES);
        int direction = bound.readInt();
        if (direction != FORE_AND_BACK) {
            throw new IOException("the server binds the connection to direction " + direction);
        }
    }

    /** Opens a file of a directory in the root, for reading. */
    Delegation open(String directory, String name) throws Exception {
        Compound opened = call(inSession()
                .operation(PUTROOTFH)
                .operation(LOOKUP)
                .text(directory)
                .operation(OPEN)
                .words(0, ACCESS_READ | WANT_READ_DELEGATION, 0)
                .hyper(clientId)
                .text("owner")
                .words(0, 0) // no creation; by name
                .text(name)
                .operation(GETFH));
        opened.result(PUTROOTFH);
        opened.result(LOOKUP);
        ByteBuf result = opened.result(OPEN);
        String open = Compound.readFixed(result, Compound.STATEID_BYTES);
        result.skipBytes(20 + 4); // what happened to the directory; flags
        result.skipBytes(4 * result.readInt()); // attributes set
        int type = result.readInt();
        if (type != DELEGATION_READ) {
            throw new IOException(
                    "no read delegation of " + name + ", but type " + type + ", " + ByteBufUtil.hexDump(result));
        }
        String stateid = Compound.readFixed(result, Compound.STATEID_BYTES);
        result.skipBytes(4 + 3 * 4); // whether it is being recalled; who else may open the file
        Compound.readOpaque(result);
        return new Delegation(Compound.readOpaque(opened.result(GETFH)), open, stateid);
    }

    /** The text in a file. */
    String read(Delegation file) throws Exception {
        Compound read = call(inSession()
                .operation(PUTFH)
                .opaque(file.file)
                .operation(READ)
                .fixed(file.open)
                .hyper(0)
                .words(4096));
        read.result(PUTFH);
        ByteBuf result = read.result(READ);
        result.skipBytes(4);
        return new String(HexFormat.of().parseHex(Compound.readOpaque(result)), StandardCharsets.UTF_8);
    }

    void giveBack(Delegation file) throws Exception {
        call(inSession()
                .operation(PUTFH)
                .opaque(file.file)
                .operation(DELEGRETURN)
                .fixed(file.stateid));
    }

    /**
     * Makes symbolic links, {@code link0} and so on, in a directory in the root with one call, in which each target may
     * be reduced.
     *
     * @param patience time for the answer
     */
    void link(String directory, Duration patience, String... targets) throws Exception {
        Compound links = inSession();
        List<XdrItem> items = new ArrayList<>();
        for (int i = 0; i < targets.length; i++) {
            links.operation(PUTROOTFH)
                    .operation(LOOKUP)
                    .text(directory)
                    .operation(CREATE)
                    .words(SYMBOLIC_LINK);
            items.add(new XdrItem(links.message().readableBytes() + Integer.BYTES, targets[i].length()));
            links.text(targets[i]).text("link" + i).words(0, 0); // no attributes
        }
        RpcRdmaCall call = RpcRdmaCall.of(links.message()).reducing(items);
        links.answered(rpc.call(call, patience).get(patience.toSeconds() + 10, TimeUnit.SECONDS));
    }

    private Compound begin(Nfs41Operation operation) {
        return new Compound(rpc.nextXid()).operation(operation);
    }

    private Compound inSession() {
        return begin(SEQUENCE).fixed(id).words(++sequence, 0, 0, 0);
    }

    private Compound call(Compound compound) throws Exception {
        // The call has a timeout of its own.
        compound.answered(rpc.call(compound.message()).get(limit.toSeconds() + 10, TimeUnit.SECONDS));
        if (compound.isIn(SEQUENCE)) {
            ByteBuf result = compound.result(SEQUENCE);
            result.skipBytes(Compound.SESSION_ID_BYTES + 4 * 4);
            statusFlags |= result.readInt();
        }
        return compound;
    }
}
