// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.nfs.client.Replies.Decoder;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Asks a server's mount daemon for the handle of an exported directory (MOUNT version 3, RFC 1813, section 5), and its
 * portmapper for the daemon's port (RFC 1833, section 3). Neither speaks RDMA, so this is RPC over TCP, with one
 * connection per call: there is one call to each.
 *
 * <p>Threading: any thread, methods wait for the answer; not for event loops. Ownership: owns an event loop, to be
 * closed.
 */
public final class MountClient implements AutoCloseable {

    private static final int GETPORT = 3;
    private static final int TCP = 6;

    private final TcpCaller caller;
    private final AuthSys credential;

    /**
     * A client of any number of servers.
     *
     * @param credential   of all calls
     * @param timeout      of each connect and each call
     * @param reservedPort whether to call from a port below 1024, as servers want whose exports lack "insecure"; takes
     *                     privileges
     */
    public MountClient(AuthSys credential, Duration timeout, boolean reservedPort) {
        this.credential = credential;
        caller = new TcpCaller(timeout, reservedPort);
    }

    /**
     * Asks a portmapper for the TCP port of the mount daemon.
     *
     * @param portmapper usually on port 111
     */
    public int mountPort(InetSocketAddress portmapper) throws IOException, InterruptedException {
        ByteBuf call = begin(RpcPrograms.PORTMAPPER, RpcPrograms.PORTMAPPER_VERSION, GETPORT)
                .writeInt(RpcPrograms.MOUNT)
                .writeInt(RpcPrograms.MOUNT_VERSION)
                .writeInt(TCP)
                .writeInt(0);
        int port = call(portmapper, "GETPORT", call, ByteBuf::readInt);
        if (port <= 0 || port > 0xffff) {
            throw new IOException("the portmapper at " + portmapper + " knows no mount daemon of version 3 over TCP");
        }
        return port;
    }

    /**
     * MNT: the handle of an exported directory, or of one below.
     *
     * @throws Nfs3Exception if the server refuses
     */
    public FileHandle mount(InetSocketAddress daemon, String directory) throws IOException, InterruptedException {
        ByteBuf call = begin(MountProcedure.MNT);
        Xdr.writeString(call, directory);
        String what = "MNT of " + directory;
        return call(daemon, what, call, Replies.checked(what, "MNT3ERR_", FileHandle::read));
    }

    /** UMNT: tells the server that the directory is not used any more. Handles stay valid; it is a courtesy. */
    public void unmount(InetSocketAddress daemon, String directory) throws IOException, InterruptedException {
        ByteBuf call = begin(MountProcedure.UMNT);
        Xdr.writeString(call, directory);
        call(daemon, "UMNT of " + directory, call, in -> true);
    }

    @Override
    public void close() {
        caller.close();
    }

    private ByteBuf begin(MountProcedure procedure) {
        return begin(RpcPrograms.MOUNT, RpcPrograms.MOUNT_VERSION, procedure.number());
    }

    private ByteBuf begin(int program, int version, int procedure) {
        int xid = ThreadLocalRandom.current().nextInt();
        return RpcMessages.call(UnpooledByteBufAllocator.DEFAULT, xid, program, version, procedure, credential);
    }

    private <T> T call(InetSocketAddress server, String what, ByteBuf call, Decoder<T> decoder)
            throws IOException, InterruptedException {
        return Replies.decode(what, Addresses.describe(server), caller.call(server, call), decoder);
    }
}
