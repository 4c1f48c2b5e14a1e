// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client without opinions: what the tests say is what is sent. It reads attributes by itself, not with the classes
 * that the server writes them with, which would agree with themselves wherever they put what.
 */
final class NfsClient implements AutoCloseable {

    private static final AtomicInteger XIDS = new AtomicInteger(1000);

    /** How a message gets there and back. */
    interface Transport extends AutoCloseable {
        ByteBuf exchange(ByteBuf call) throws Exception;

        @Override
        void close() throws IOException;
    }

    private final Transport transport;
    private int uid;
    private int gid;
    private int xid;

    private NfsClient(Transport transport) {
        this.transport = transport;
    }

    static NfsClient tcp(InetSocketAddress address) throws Exception {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(Deadline.MILLIS);
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        return new NfsClient(new Transport() {
            @Override
            public ByteBuf exchange(ByteBuf call) throws Exception {
                // In two fragments, as some clients do it.
                int first = 12;
                byte[] octets = new byte[call.readableBytes()];
                call.readBytes(octets);
                out.writeInt(first);
                out.write(octets, 0, first);
                out.writeInt(0x8000_0000 | octets.length - first);
                out.write(octets, first, octets.length - first);
                out.flush();
                int mark = in.readInt();
                assertThat(mark).isNegative();
                return Unpooled.wrappedBuffer(in.readNBytes(mark & 0x7fff_ffff));
            }

            @Override
            public void close() throws IOException {
                socket.close();
            }
        });
    }

    static NfsClient rdma(EventLoopGroup group, InetSocketAddress address) throws Exception {
        Channel channel = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel made) {
                        made.pipeline().addLast(new RpcRdmaRequesterHandler(RpcRdmaConfig.defaults()));
                    }
                })
                .connect(address)
                .sync()
                .channel();
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        return new NfsClient(new Transport() {
            @Override
            public ByteBuf exchange(ByteBuf call) throws Exception {
                ByteBuf reply = requester.call(call).get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
                try {
                    return Unpooled.copiedBuffer(reply);
                } finally {
                    reply.release();
                }
            }

            @Override
            public void close() {
                channel.close().syncUninterruptibly();
            }
        });
    }

    NfsClient as(int uid, int gid) {
        this.uid = uid;
        this.gid = gid;
        return this;
    }

    /** The XID of the next call and of all that follow; 0 for a fresh one each time. */
    NfsClient withXid(int xid) {
        this.xid = xid;
        return this;
    }

    ByteBuf exchange(ByteBuf call) throws Exception {
        return transport.exchange(call);
    }

    /** The header of a call, for arguments to be added. */
    ByteBuf header(int program, int version, int procedure) {
        return Unpooled.buffer()
                .writeInt(xid == 0 ? XIDS.incrementAndGet() : xid)
                .writeInt(0)
                .writeInt(2)
                .writeInt(program)
                .writeInt(version)
                .writeInt(procedure)
                .writeInt(1) // AUTH_SYS
                .writeInt(28)
                .writeInt(7) // stamp
                .writeInt(5)
                .writeBytes("guest".getBytes(StandardCharsets.US_ASCII))
                .writeZero(3)
                .writeInt(uid)
                .writeInt(gid)
                .writeInt(0)
                .writeInt(0) // verifier
                .writeInt(0);
    }

    Reply call(Nfs3Procedure procedure, Argument... arguments) throws Exception {
        ByteBuf call = header(RpcPrograms.NFS, 3, procedure.number());
        for (Argument argument : arguments) {
            argument.writeTo(call);
        }
        return new Reply(accepted(exchange(call)));
    }

    /** The results of an accepted call. */
    static ByteBuf accepted(ByteBuf reply) {
        reply.skipBytes(4);
        assertThat(reply.readInt()).as("reply").isEqualTo(1);
        assertThat(reply.readInt()).as("accepted").isZero();
        assertThat(reply.readLong()).as("verifier").isZero();
        assertThat(reply.readInt()).as("accept_stat").isZero();
        return reply;
    }

    byte[] mount(String path) throws Exception {
        ByteBuf call = header(RpcPrograms.MOUNT, 3, 1);
        string(path).writeTo(call);
        Reply reply = new Reply(accepted(exchange(call))).ok();
        byte[] handle = reply.opaque();
        assertThat(reply.in.readInt()).isEqualTo(1);
        assertThat(reply.in.readInt()).isEqualTo(1); // AUTH_SYS
        return handle;
    }

    @Override
    public void close() throws IOException {
        transport.close();
    }

    /** Something to be said in a call. */
    interface Argument {
        void writeTo(ByteBuf out);
    }

    static Argument opaque(byte[] octets) {
        return out -> Xdr.writeOpaque(out, octets);
    }

    static Argument string(String text) {
        return opaque(text.getBytes(StandardCharsets.UTF_8));
    }

    static Argument ints(int... values) {
        return out -> {
            for (int value : values) {
                out.writeInt(value);
            }
        };
    }

    static Argument longs(long... values) {
        return out -> {
            for (long value : values) {
                out.writeLong(value);
            }
        };
    }

    /** {@code sattr3} with at most mode and size set. */
    static Argument attributes(@Nullable Integer mode, @Nullable Long size) {
        return out -> {
            out.writeInt(mode == null ? 0 : 1);
            if (mode != null) {
                out.writeInt(mode);
            }
            out.writeInt(0).writeInt(0).writeInt(size == null ? 0 : 1);
            if (size != null) {
                out.writeLong(size);
            }
            out.writeInt(0).writeInt(0);
        };
    }

    /** What {@code fattr3} says. */
    record Attributes(
            int type,
            int mode,
            int nlink,
            int uid,
            int gid,
            long size,
            long fileId,
            long accessed,
            long modified,
            long changed) {}

    /** {@code wcc_data}; zeros for what is not there. */
    record Wcc(boolean hasBefore, long sizeBefore, long changedBefore, @Nullable Attributes after) {}

    /** Results, read from the front. */
    static final class Reply {

        final int status;
        final ByteBuf in;

        Reply(ByteBuf in) {
            this.in = in;
            status = in.isReadable() ? in.readInt() : 0;
        }

        Reply ok() {
            return is(Nfs3Status.OK);
        }

        Reply is(Nfs3Status expected) {
            assertThat(status).as("status, expecting " + expected).isEqualTo(expected.code());
            return this;
        }

        byte[] opaque() {
            byte[] octets = new byte[in.readInt()];
            in.readBytes(octets).skipBytes(-octets.length & 3);
            return octets;
        }

        String string() {
            return new String(opaque(), StandardCharsets.UTF_8);
        }

        Attributes attributes() {
            int type = in.readInt();
            int mode = in.readInt();
            int nlink = in.readInt();
            int uid = in.readInt();
            int gid = in.readInt();
            long size = in.readLong();
            in.skipBytes(8 + 8 + 8);
            return new Attributes(
                    type, mode, nlink, uid, gid, size, in.readLong(), in.readLong(), in.readLong(), in.readLong());
        }

        /**
         * What attributes say of the space that the file takes; not among those, since it changes when the host likes.
         */
        long usedBytes() {
            in.skipBytes(5 * 4 + 8);
            return in.readLong();
        }

        @Nullable
        Attributes postOp() {
            return in.readInt() == 1 ? attributes() : null;
        }

        Wcc wcc() {
            if (in.readInt() == 0) {
                return new Wcc(false, 0, 0, postOp());
            }
            long size = in.readLong();
            in.skipBytes(8);
            return new Wcc(true, size, in.readLong(), postOp());
        }

        byte[] postOpHandle() {
            assertThat(in.readInt()).isEqualTo(1);
            return opaque();
        }

        void end() {
            assertThat(in.readableBytes()).as("octets left over").isZero();
        }
    }
}
