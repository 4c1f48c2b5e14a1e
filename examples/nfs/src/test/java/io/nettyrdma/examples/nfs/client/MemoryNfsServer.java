// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * An NFS server with one directory in memory, on whose manners a test can decide. It writes to memory and commits for
 * good, so that {@link #restart} loses what a restart of a real one loses.
 *
 * <p>Threading: serves on one event loop; tests set it up before and look at it after.
 */
final class MemoryNfsServer {

    /** The directory's handle; that of a file is its number in four octets. */
    static final byte[] ROOT = {'r', 'o', 'o', 't', '!'};

    static final class MemoryFile {
        byte[] data = {};
        byte[] committed = {};
        int mode;
        FileType type = FileType.REGULAR;
        /** What the attributes say of the length; less than 0 as an unsigned number; null for the truth. */
        @Nullable
        Long sizeTold;

        MemoryFile(byte[] data, int mode) {
            this.data = data;
            committed = data;
            this.mode = mode;
        }
    }

    final Map<String, Integer> directory = new ConcurrentSkipListMap<>();
    final Map<Integer, MemoryFile> files = new ConcurrentHashMap<>();
    /** Statuses that procedures fail with. */
    final Map<Nfs3Procedure, Integer> failures = new ConcurrentHashMap<>();

    /** Statuses that procedures answer with after they have done their work, as if they were executed again. */
    final Map<Nfs3Procedure, Integer> repetitions = new ConcurrentHashMap<>();

    /** How many more calls are answered with "try later" before one is executed. */
    final Map<Nfs3Procedure, Integer> jukeboxes = new ConcurrentHashMap<>();

    /** What happens in place of a reply. */
    final Map<Nfs3Procedure, Runnable> silences = new ConcurrentHashMap<>();

    /** Open ones. */
    final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    /** How often a procedure was called. */
    final Map<Nfs3Procedure, Integer> calls = new ConcurrentHashMap<>();

    volatile int maxReadBytes = 1 << 20;
    volatile int maxWriteBytes = 1 << 20;
    /** What READ and WRITE do at most at a time, whatever FSINFO says. */
    volatile int octetsPerCall = Integer.MAX_VALUE;

    volatile boolean withAttributes = true;
    volatile boolean withHandles = true;
    /** The WRITEs, counted from 1, behind which the server restarts. */
    volatile int restartEvery = Integer.MAX_VALUE;

    volatile int stability;
    private long verifier = 1;
    private int lastFile;

    MemoryNfsServer add(String name, byte[] data) {
        files.put(++lastFile, new MemoryFile(data, 0644));
        directory.put(name, lastFile);
        return this;
    }

    MemoryFile file(String name) {
        return files.get(directory.get(name));
    }

    Channel start(EventLoopGroup group) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        connections.add(channel);
                        channel.pipeline()
                                .addLast(new RpcRdmaResponderHandler(RpcRdmaConfig.defaults()))
                                .addLast(new Procedures())
                                .addLast(new LeavingClients(RdmaConnectionException.class));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    /** Everything uncommitted is lost, and clients can tell from the verifier. */
    void restart() {
        verifier++;
        files.values().forEach(file -> file.data = file.committed);
    }

    private final class Procedures extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            Nfs3Procedure procedure = Nfs3Procedure.values()[RpcHeaders.procedure(call)];
            calls.merge(procedure, 1, Integer::sum);
            Runnable silence = silences.get(procedure);
            if (silence != null) {
                silence.run();
                return;
            }
            ByteBuf reply = RpcHeaders.accepted(ctx.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS);
            call.skipBytes(24 + 4);
            XdrOpaque.read(call, 400);
            call.skipBytes(8);
            int failure = failures.getOrDefault(procedure, 0);
            Integer later = jukeboxes.get(procedure);
            if (later != null && later > 0) {
                jukeboxes.put(procedure, later - 1);
                failure = Nfs3Status.JUKEBOX.code();
            }
            if (repetitions.containsKey(procedure)) {
                int results = reply.writerIndex();
                serve(procedure, call, reply);
                reply.writerIndex(results);
                failure = repetitions.get(procedure);
            }
            if (failure != 0) {
                reply.writeInt(failure).writeZero(procedure == Nfs3Procedure.RENAME ? 16 : 8); // no attributes
            } else if (procedure != Nfs3Procedure.NULL) {
                serve(procedure, call, reply);
            }
            ctx.writeAndFlush(reply);
        }

        private void serve(Nfs3Procedure procedure, ByteBuf call, ByteBuf reply) {
            int start = reply.writerIndex();
            reply.writeInt(0);
            ByteBuf handle = XdrOpaque.read(call, FileHandle.MAX_BYTES);
            int number = handle.readableBytes() == 4 ? handle.readInt() : 0;
            switch (procedure) {
                case GETATTR -> writeAttributes(reply, number);
                case LOOKUP -> lookup(Xdr.readString(call, 255), reply, start);
                case READ -> read(number, call.readLong(), call.readInt(), reply);
                case WRITE -> write(number, call, reply);
                case CREATE -> create(Xdr.readString(call, 255), call, reply);
                case REMOVE -> remove(Xdr.readString(call, 255), reply, start);
                case RENAME -> rename(call, reply);
                case READDIRPLUS -> list(reply);
                case FSINFO -> {
                    optionalAttributes(reply, 0);
                    reply.writeInt(maxReadBytes).writeInt(maxReadBytes).writeInt(1);
                    reply.writeInt(maxWriteBytes).writeInt(maxWriteBytes).writeInt(1);
                    reply.writeInt(4096).writeLong(Long.MAX_VALUE).writeLong(1).writeInt(0);
                }
                case COMMIT -> {
                    files.get(number).committed = files.get(number).data;
                    reply.writeZero(8).writeLong(verifier);
                }
                default -> throw new IllegalStateException("procedure " + procedure);
            }
        }

        private void lookup(String name, ByteBuf reply, int start) {
            Integer number = directory.get(name);
            if (number == null) {
                reply.setInt(start, Nfs3Status.NOENT.code());
                optionalAttributes(reply, 0);
                return;
            }
            Xdr.writeOpaque(reply, handle(number));
            optionalAttributes(reply, number);
            optionalAttributes(reply, 0);
        }

        private void read(int number, long offset, int count, ByteBuf reply) {
            byte[] data = files.get(number).data;
            int from = (int) Math.min(data.length, offset);
            int to = Math.min(data.length, from + Math.min(count, octetsPerCall));
            optionalAttributes(reply, number);
            reply.writeInt(to - from).writeInt(to == data.length ? 1 : 0);
            Xdr.writeOpaque(reply, Arrays.copyOfRange(data, from, to));
        }

        private void write(int number, ByteBuf call, ByteBuf reply) {
            int offset = (int) call.readLong();
            call.skipBytes(4 + 4);
            ByteBuf octets = XdrOpaque.read(call, 1 << 20);
            octets.writerIndex(octets.readerIndex() + Math.min(octets.readableBytes(), octetsPerCall));
            int count = octets.readableBytes();
            MemoryFile file = files.get(number);
            file.data = Arrays.copyOf(file.data, Math.max(file.data.length, offset + count));
            octets.readBytes(file.data, offset, count);
            if (stability != 0) {
                file.committed = file.data;
            }
            reply.writeZero(8).writeInt(count).writeInt(stability).writeLong(verifier);
            if (calls.get(Nfs3Procedure.WRITE) % restartEvery == 0) {
                restart();
            }
        }

        private void create(String name, ByteBuf call, ByteBuf reply) {
            call.skipBytes(4 + 4);
            add(name, new byte[0]);
            file(name).mode = call.readInt();
            if (withHandles) {
                reply.writeInt(1);
                Xdr.writeOpaque(reply, handle(directory.get(name)));
            } else {
                reply.writeInt(0);
            }
            optionalAttributes(reply, directory.get(name));
            reply.writeZero(8);
        }

        private void remove(String name, ByteBuf reply, int start) {
            if (directory.remove(name) == null) {
                reply.setInt(start, Nfs3Status.NOENT.code());
            }
            reply.writeZero(8);
        }

        private void rename(ByteBuf call, ByteBuf reply) {
            String from = Xdr.readString(call, 255);
            XdrOpaque.read(call, FileHandle.MAX_BYTES);
            directory.put(Xdr.readString(call, 255), directory.remove(from));
            reply.writeZero(16);
        }

        private void list(ByteBuf reply) {
            optionalAttributes(reply, 0);
            reply.writeLong(77);
            for (Map.Entry<String, Integer> entry : new TreeMap<>(directory).entrySet()) {
                reply.writeInt(1).writeLong(entry.getValue());
                Xdr.writeString(reply, entry.getKey());
                reply.writeLong(entry.getValue());
                optionalAttributes(reply, entry.getValue());
                reply.writeInt(withHandles ? 1 : 0);
                if (withHandles) {
                    Xdr.writeOpaque(reply, handle(entry.getValue()));
                }
            }
            reply.writeInt(0).writeInt(1);
        }

        private void optionalAttributes(ByteBuf reply, int number) {
            reply.writeInt(withAttributes ? 1 : 0);
            if (withAttributes) {
                writeAttributes(reply, number);
            }
        }

        private void writeAttributes(ByteBuf reply, int number) {
            MemoryFile file = files.get(number);
            reply.writeInt((file == null ? FileType.DIRECTORY : file.type).number())
                    .writeInt(file == null ? 0755 : file.mode)
                    .writeInt(1)
                    .writeInt(1000)
                    .writeInt(1001)
                    .writeLong(file == null ? 4096 : file.sizeTold != null ? file.sizeTold : file.data.length)
                    .writeLong(8192)
                    .writeZero(16)
                    .writeLong(number);
            for (int time = 1; time <= 3; time++) {
                reply.writeInt(time).writeInt(-1 >>> 8);
            }
        }

        private byte[] handle(int number) {
            return new byte[] {(byte) (number >> 24), (byte) (number >> 16), (byte) (number >> 8), (byte) number};
        }
    }
}
