// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.nettyrdma.examples.guard.ServerLog;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import io.nettyrdma.examples.nfs.server.LocalStore.Located;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.apache.hadoop.mount.MountEntry;
import org.apache.hadoop.oncrpc.RpcCall;

/**
 * MOUNT version 3 (RFC 1813, appendix I): the first handle. The export is called "/", or by its path on this host;
 * directories in it can be mounted as well.
 *
 * <p>Threading: any thread.
 */
@Sharable
final class MountProgram extends WorkerProgram {

    private static final int MAX_PATH_BYTES = 1024;

    private final LocalStore store;
    private final MountList mounts = new MountList();

    MountProgram(LocalStore store, Executor workers, ServerLog log) {
        super("MOUNT", RpcPrograms.MOUNT, RpcPrograms.MOUNT_VERSION, workers, log);
        this.store = store;
    }

    @Override
    ConnectionLimits limitsOverTcp() {
        return ConnectionLimits.MOUNT;
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
            case DUMP -> mounts.write(out);
            case UMNT -> {
                String path = readPath(in);
                mounts.remove(host, path);
                log.accept(host + " unmounted " + path);
            }
            case UMNTALL -> mounts.removeAll(host);
            case EXPORT -> {
                out.writeInt(1);
                Xdr.writeString(out, "/");
                out.writeInt(0).writeInt(0); // for everybody; no more exports
            }
            case NULL -> {}
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

    private static String readPath(Arguments in) throws GarbageException {
        return new String(in.readOctets(MAX_PATH_BYTES), StandardCharsets.UTF_8);
    }

    private void mount(Arguments in, String host, ByteBuf out) throws GarbageException {
        byte[] octets = in.readOctets(MAX_PATH_BYTES);
        String path = new String(octets, StandardCharsets.UTF_8);
        int start = out.writerIndex();
        Nfs3Status status = Nfs3Status.OK;
        store.names().readLock().lock();
        try {
            Node node = find(octets);
            out.writeInt(Nfs3Status.OK.code());
            Xdr.writeOpaque(out, node.handle());
            out.writeInt(1).writeInt(AuthSys.AUTH_SYS);
            mounts.add(new MountEntry(host, path));
        } catch (NfsException e) {
            status = e.status();
        } catch (IOException e) {
            status = HostErrors.status(e);
        } finally {
            store.names().readLock().unlock();
        }
        if (status != Nfs3Status.OK) {
            out.writerIndex(start).writeInt(status.code());
        }
        log.accept(host + " mounts " + path + (status == Nfs3Status.OK ? "" : ": " + status));
    }

    private Node find(byte[] octets) throws IOException, NfsException {
        Path wanted = FileNames.path(octets);
        if (!wanted.isAbsolute()) {
            throw new NfsException(Nfs3Status.NOENT);
        }
        Path inside = wanted.startsWith(store.path())
                ? store.path().relativize(wanted)
                : wanted.getRoot().relativize(wanted);
        Located found = store.locate(store.table().root());
        for (Path name : inside) {
            if (name.toString().isEmpty()) {
                continue;
            }
            if (NameProcedures.isDots(name)) {
                throw new NfsException(Nfs3Status.NOENT);
            }
            try (OpenDirectory directory = store.open(found)) {
                found = store.locate(store.bind(directory, name, directory.entry(name)));
            }
        }
        if (!found.attributes().isDirectory()) {
            throw new NfsException(Nfs3Status.NOTDIR);
        }
        return found.node();
    }
}
