// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.server.NfsClient.Argument;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcProgramHandler;
import org.junit.jupiter.api.Test;

/** Calls of any procedure, good and bad. */
class NfsCallsTest extends NfsServerFixture {

    @Test
    void nullDoesNothing() throws Exception {
        ByteBuf results = NfsClient.accepted(client.exchange(client.header(RpcPrograms.NFS, 3, 0)));
        assertThat(results.isReadable()).isFalse();
    }

    @Test
    void changeIsMadeOnceHoweverOftenAClientAsks() throws Exception {
        newFile("file");
        client.withXid(77);
        Argument[] remove = {opaque(root), string("file")};
        client.call(Nfs3Procedure.REMOVE, remove).ok();
        client.close();
        client = connect().withXid(77); // the reply was lost with the connection
        client.call(Nfs3Procedure.REMOVE, remove).ok();
        // Another call that happens to have the XID is another call.
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("missing")).is(Nfs3Status.NOENT);
        client.withXid(78).call(Nfs3Procedure.REMOVE, remove).is(Nfs3Status.NOENT);
    }

    @Test
    void callsThatMakeNoSenseAreAnswered() throws Exception {
        Logs.expect(RpcProgramHandler.class, "cannot be decoded");
        ByteBuf call = client.header(RpcPrograms.NFS, 3, Nfs3Procedure.LOOKUP.number());
        call.writeInt(0x7fff_fffc); // a handle of two gigabytes
        assertThat(acceptStatus(client.exchange(call))).as("GARBAGE_ARGS").isEqualTo(4);
        assertThat(acceptStatus(client.exchange(client.header(RpcPrograms.NFS, 3, 22))))
                .as("PROC_UNAVAIL")
                .isEqualTo(3);
        assertThat(acceptStatus(client.exchange(client.header(RpcPrograms.NFS, 4, 0))))
                .as("PROG_MISMATCH")
                .isEqualTo(2);
        assertThat(acceptStatus(client.exchange(client.header(100_227, 3, 0))))
                .as("PROG_UNAVAIL")
                .isEqualTo(1);
        ByteBuf secure = client.header(RpcPrograms.NFS, 3, 0);
        secure.setInt(24, 6); // RPCSEC_GSS, which wants an answer that proves who gave it
        assertThat(client.exchange(secure).getInt(8)).as("MSG_DENIED").isOne();
        ByteBuf hugeName = client.header(RpcPrograms.NFS, 3, 0);
        hugeName.setInt(36, 0x7fff_ffff);
        assertThat(acceptStatus(client.exchange(hugeName)))
                .as("what is in a credential makes no difference")
                .isZero();
        ByteBuf otherRpc = client.header(RpcPrograms.NFS, 3, 0);
        otherRpc.setInt(8, 3);
        ByteBuf mismatch = client.exchange(otherRpc);
        assertThat(mismatch.getInt(8)).as("MSG_DENIED").isOne();
        assertThat(mismatch.getInt(12)).as("RPC_MISMATCH").isZero();
        getattr(root); // and the connection is as good as before
    }

    private static int acceptStatus(ByteBuf reply) {
        return reply.getInt(20);
    }

    @Test
    void callsAreCounted() throws Exception {
        newFile("file");
        lookup(root, "missing").is(Nfs3Status.NOENT);
        assertThat(server.summary()).startsWith("2 calls");
    }
}
