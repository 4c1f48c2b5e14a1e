// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.rpc.RpcProgramHandler;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.nio.charset.StandardCharsets;

/**
 * MOUNT version 3 (RFC 1813, appendix I): the first handle. The export is called "/", or by its path on this host. The
 * server keeps no list of those who have mounted, so DUMP returns none. No procedure makes the event loop wait.
 */
final class MountProgram {

    private static final int VERSION = RpcPrograms.MOUNT_VERSION;
    private static final int MAX_PATH_BYTES = 1024;

    private MountProgram() {}

    /** For one connection, of a client on this host. */
    static RpcProgramHandler of(Export export, String host, PeerLog log) {
        return RpcProgramHandler.of(RpcPrograms.MOUNT, VERSION, VERSION)
                .procedure(VERSION, MountProcedure.MNT.number(), in -> mount(export, in, host, log))
                .procedure(VERSION, MountProcedure.DUMP.number(), in -> Unpooled.copyInt(0))
                .procedure(VERSION, MountProcedure.UMNT.number(), in -> {
                    log.accept(host + " unmounted " + Xdr.readString(in, MAX_PATH_BYTES));
                    return Unpooled.EMPTY_BUFFER;
                })
                .procedure(VERSION, MountProcedure.UMNTALL.number(), in -> Unpooled.EMPTY_BUFFER)
                // One export, "/", for everybody.
                .procedure(VERSION, MountProcedure.EXPORT.number(), in -> Unpooled.copyInt(1, 1, '/' << 24, 0, 0));
    }

    private static ByteBuf mount(Export export, ByteBuf in, String host, PeerLog log) {
        byte[] octets = ByteBufUtil.getBytes(XdrOpaque.read(in, MAX_PATH_BYTES));
        Nfs3Status status = Nfs3Status.NOENT;
        try {
            status = export.isNamed(FileNames.path(octets)) ? Nfs3Status.OK : status;
        } catch (NfsException e) {
            // no path
        }
        ByteBuf out = Unpooled.buffer().writeInt(status.code());
        if (status == Nfs3Status.OK) {
            Xdr.writeOpaque(out, export.table.handle(export.table.root));
            out.writeInt(1).writeInt(AuthSys.AUTH_SYS);
        }
        String path = new String(octets, StandardCharsets.UTF_8);
        log.accept(host + " mounts " + path + (status == Nfs3Status.OK ? "" : ": " + status));
        return out;
    }
}
