/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples.nfs.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.examples.nfs.protocol.RecordMarkCodec;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.oncrpc.RpcUtil;
import org.jspecify.annotations.Nullable;

/**
 * One directory, served with NFS version 3 over RDMA. The MOUNT protocol never runs over RDMA, so it has a TCP port; NFS
 * can have one as well, for clients without RDMA. The stages above the transport are Hadoop's and the same in all cases.
 *
 * <p>Threading: started and closed by one thread. Ownership: owns its event loops, workers and the open export.
 */
public final class NfsServer implements AutoCloseable {

    /** No such port, please. */
    public static final int NONE = -1;

    /** Longest message over TCP: a WRITE with its header. */
    private static final int MAX_NFS_MESSAGE_BYTES = AttributeProcedures.MAX_TRANSFER_BYTES + 4096;

    private static final int MAX_MOUNT_MESSAGE_BYTES = 4096;

    /** Calls that wait for a worker, each with its arguments in memory; beyond that clients are told to come again. */
    private static final int MAX_CALLS_WAITING = 4096;

    private static final long SHUTDOWN_SECONDS = 10;

    /**
     * What to serve and where.
     *
     * @param export     the directory
     * @param state      where the key and the handles are kept, outside the export
     * @param address    address to listen on
     * @param rdmaPort   port of NFS over RDMA, 20049 by custom; 0 for any
     * @param mountPort  TCP port of MOUNT; 0 for any
     * @param tcpPort    TCP port of NFS, {@link #NONE} for no NFS over TCP
     * @param workers    threads that use files
     * @param stable     whether changes are on stable storage before they are answered
     * @param squashRoot whether clients' root is nobody here
     */
    public record Options(
            Path export,
            Path state,
            String address,
            int rdmaPort,
            int mountPort,
            int tcpPort,
            int workers,
            boolean stable,
            boolean squashRoot) {}

    private final Consumer<String> log;
    private final List<End> toClose = new ArrayList<>();
    private final List<Channel> listeners = new ArrayList<>();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Nfs3Program nfs;

    private NfsServer(Options options, RpcRdmaConfig config, Consumer<String> log, @Nullable Consumer<String> access)
            throws Exception {
        this.log = log;
        boolean started = false;
        try {
            LocalStore store = LocalStore.open(options.export, options.state);
            toClose.add(store::close);
            ThreadPoolExecutor workers = new ThreadPoolExecutor(
                    options.workers,
                    options.workers,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MAX_CALLS_WAITING),
                    new DefaultThreadFactory("nfs-worker"));
            toClose.add(() -> {
                workers.shutdown();
                workers.awaitTermination(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            });
            nfs = new Nfs3Program(store, new Identity.Mapper(options.squashRoot), options.stable, workers, access);
            MountProgram mount = new MountProgram(store, workers, log);
            EventLoopGroup rdma = owned(new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()));
            EventLoopGroup tcp = owned(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()));
            toClose.add(() -> {
                for (Channel listener : listeners) {
                    listener.close().sync();
                }
                connections.close().await();
            });
            listeners.add(new ServerBootstrap()
                    .group(rdma)
                    .channel(RdmaServerChannel.class)
                    .childHandler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            addStages(channel, new RpcRdmaResponderHandler(config), nfs);
                        }
                    })
                    .bind(new InetSocketAddress(options.address, options.rdmaPort))
                    .sync()
                    .channel());
            listeners.add(listen(tcp, options.address, options.mountPort, MAX_MOUNT_MESSAGE_BYTES, mount));
            if (options.tcpPort != NONE) {
                listeners.add(listen(tcp, options.address, options.tcpPort, MAX_NFS_MESSAGE_BYTES, nfs));
            }
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /**
     * Starts a server.
     *
     * @param config limits of RPC-over-RDMA, and the listener that sees every message
     * @param log    gets a line when a client comes or goes; called on any thread
     * @param access gets a line per NFS call, on any thread; null for none
     * @throws IOException if the directory cannot be served, or this host's name does not resolve
     * @throws Exception   if a port cannot be listened on
     */
    public static NfsServer start(
            Options options, RpcRdmaConfig config, Consumer<String> log, @Nullable Consumer<String> access)
            throws Exception {
        HostName.require();
        return new NfsServer(options, config, log, access);
    }

    /** Where {@link Options#state} is unless a user says otherwise: beside the export. */
    public static Path stateBeside(Path export) {
        return StateDirectory.beside(export);
    }

    private Channel listen(EventLoopGroup group, String address, int port, int maxBytes, WorkerProgram program)
            throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        addStages(channel, new RecordMarkCodec(maxBytes), program);
                    }
                })
                .bind(new InetSocketAddress(address, port))
                .sync()
                .channel();
    }

    /** Whole messages come from the transport; what happens to them is Hadoop's. */
    private void addStages(Channel channel, ChannelHandler transport, WorkerProgram program) {
        connections.add(channel);
        channel.pipeline()
                .addLast(transport)
                .addLast(CallGuard.INSTANCE)
                .addLast(RpcUtil.STAGE_RPC_MESSAGE_PARSER)
                .addLast(program)
                .addLast(new ReplyStage());
        if (program instanceof Nfs3Program) {
            log.accept(channel.remoteAddress() + " connected");
            channel.closeFuture().addListener(closed -> log.accept(channel.remoteAddress() + " disconnected"));
        }
    }

    /** How something that was started ends. */
    private interface End {
        void end() throws IOException, InterruptedException;
    }

    private EventLoopGroup owned(EventLoopGroup group) {
        toClose.add(() ->
                group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).sync());
        return group;
    }

    /** Where NFS over RDMA is listened for. */
    public InetSocketAddress rdmaAddress() {
        return (InetSocketAddress) listeners.get(0).localAddress();
    }

    /** Where MOUNT is listened for. */
    public InetSocketAddress mountAddress() {
        return (InetSocketAddress) listeners.get(1).localAddress();
    }

    /** Where NFS over TCP is listened for; null if nowhere. */
    public @Nullable InetSocketAddress tcpAddress() {
        return listeners.size() < 3
                ? null
                : (InetSocketAddress) listeners.get(2).localAddress();
    }

    /** One line about all calls so far. */
    public String summary() {
        return nfs.summary();
    }

    /** Ends connections, then what is in progress, then lets go of the export. */
    @Override
    public void close() throws IOException {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            try {
                toClose.get(i).end();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the rest ends as fast as it can
            }
        }
        toClose.clear();
    }
}
