// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.nettyrdma.examples.guard.ServerLog;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.Export.Entry;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.apache.hadoop.oncrpc.RpcCall;
import org.jspecify.annotations.Nullable;

/**
 * MOUNT version 3 (RFC 1813, appendix I): the first handle. The export is called "/", or by its path on this host;
 * directories in it can be mounted as well. The server keeps no list of those who have mounted, so DUMP returns none.
 *
 * <p>Threading: any thread.
 */
@Sharable
final class MountProgram extends WorkerProgram {

    private static final int MAX_PATH_BYTES = 1024;

    private final Export export;

    MountProgram(Export export, Executor workers, ServerLog log) {
        super("MOUNT", RpcPrograms.MOUNT, RpcPrograms.MOUNT_VERSION, workers, log);
        this.export = export;
    }

    @Override
    CallLimit limitOverTcp() {
        return CallLimit.ofMount(log);
    }

    @Override
    boolean isProcedure(int number) {
        return MountProcedure.of(number) != null;
    }

    @Override
    protected boolean isIdempotent(RpcCall call) {
        return true;
    }

    @Override
    void execute(RpcCall call, InetSocketAddress peer, ByteBuf arguments, ByteBuf out) throws GarbageException {
        Arguments in = new Arguments(arguments);
        String host = peer.getHostString();
        switch (procedure(call)) {
            case MNT -> mount(in, host, out);
            case DUMP -> out.writeInt(0);
            case UMNT -> log.accept(host + " unmounted " + text(in.readOctets(MAX_PATH_BYTES)));
            case EXPORT -> {
                out.writeInt(1);
                Xdr.writeString(out, "/");
                out.writeInt(0).writeInt(0); // for everybody; no more exports
            }
            case NULL, UMNTALL -> {}
        }
    }

    @Override
    void refuse(RpcCall call, ByteBuf out) {
        switch (procedure(call)) {
            case MNT -> out.writeInt(Nfs3Status.SERVERFAULT.code());
            case DUMP, EXPORT -> out.writeInt(0); // an empty list
            case NULL, UMNT, UMNTALL -> {}
        }
    }

    private static MountProcedure procedure(RpcCall call) {
        MountProcedure procedure = MountProcedure.of(call.getProcedure());
        if (procedure == null) {
            throw new IllegalStateException("procedure " + call.getProcedure());
        }
        return procedure;
    }

    private static String text(byte[] octets) {
        return new String(octets, StandardCharsets.UTF_8);
    }

    private void mount(Arguments in, String host, ByteBuf out) throws GarbageException {
        byte[] octets = in.readOctets(MAX_PATH_BYTES);
        Nfs3Status status = Nfs3Status.OK;
        try {
            Node node = find(octets);
            out.writeInt(Nfs3Status.OK.code());
            Xdr.writeOpaque(out, export.table.handle(node));
            out.writeInt(1).writeInt(AuthSys.AUTH_SYS);
        } catch (NfsException e) {
            status = e.status();
        } catch (IOException e) {
            status = HostErrors.status(e, export.root(), Nfs3Status.IO);
        }
        if (status != Nfs3Status.OK) {
            // MOUNT has fewer errors than NFS.
            out.writeInt((status == Nfs3Status.JUKEBOX ? Nfs3Status.SERVERFAULT : status).code());
        }
        log.accept(host + " mounts " + text(octets) + (status == Nfs3Status.OK ? "" : ": " + status));
    }

    private Node find(byte[] octets) throws IOException, NfsException {
        Path wanted = FileNames.path(octets);
        if (!wanted.isAbsolute()) {
            throw new NfsException(Nfs3Status.NOENT);
        }
        Node node = export.table.root();
        for (Path name : export.inside(wanted)) {
            if (name.toString().isEmpty()) {
                continue;
            }
            if (!export.attributes(node).is(FileType.DIRECTORY)) {
                throw new NfsException(Nfs3Status.NOTDIR);
            }
            @Nullable Entry found = NameProcedures.isDots(name) ? null : export.lookup(node, name, true);
            if (found == null || found.node() == null) {
                throw new NfsException(Nfs3Status.NOENT);
            }
            node = found.node();
        }
        if (!export.attributes(node).is(FileType.DIRECTORY)) {
            throw new NfsException(Nfs3Status.NOTDIR);
        }
        return node;
    }
}
