// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
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
import io.nettyrdma.examples.guard.AcceptLimit;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.LineLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.guard.TcpKeepalive;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One directory, served with NFS version 3 over RDMA. The MOUNT protocol never runs over RDMA, so it has a TCP port;
 * NFS can have one as well, for clients without RDMA. The stages above the transport are Hadoop's and the same in all
 * cases.
 *
 * <p>Threading: started and closed by one thread. Ownership: owns its event loops, workers and the open export.
 */
public final class NfsServer implements AutoCloseable {

    /** No such port, please. */
    public static final int NONE = -1;

    /** Longest message over TCP: a WRITE with its header. */
    private static final int MAX_NFS_MESSAGE_BYTES = FileProcedures.MAX_TRANSFER_BYTES + 4096;

    private static final int MAX_MOUNT_MESSAGE_BYTES = 4096;

    /** Calls that wait for a worker, each with its arguments in memory; beyond that clients are told to come again. */
    private static final int MAX_CALLS_WAITING = 4096;

    /** Connections to MOUNT. Each has a call at most, so the queue of its worker has room for all of them. */
    private static final AcceptLimit.Settings MOUNT_LIMITS = new AcceptLimit.Settings(64, 30);

    private static final long SHUTDOWN_SECONDS = 10;
    private static final int DESCRIPTORS_PER_WORKER = 4;
    private static final int DESCRIPTORS_OF_JAVA = 64;

    /**
     * What to serve and where.
     *
     * @param export     the directory
     * @param address    address to listen on
     * @param rdmaPort   port of NFS over RDMA, 20049 by custom; 0 for any
     * @param mountPort  TCP port of MOUNT; 0 for any
     * @param tcpPort    TCP port of NFS, {@link #NONE} for no NFS over TCP
     * @param workers    threads that use files
     * @param stable     whether changes are on stable storage before they are answered
     * @param limits     connections to each port of NFS, and how long they may be idle
     */
    public record Options(
            Path export,
            String address,
            int rdmaPort,
            int mountPort,
            int tcpPort,
            int workers,
            boolean stable,
            AcceptLimit.Settings limits) {

        /** With the default limits of connections. */
        public Options(
                Path export, String address, int rdmaPort, int mountPort, int tcpPort, int workers, boolean stable) {
            this(export, address, rdmaPort, mountPort, tcpPort, workers, stable, AcceptLimit.Settings.DEFAULT);
        }

        /** Descriptors that the server may need: for files, for connections, and some for Java and each worker. */
        private long descriptors() {
            return OpenFiles.MAX_DESCRIPTORS
                    + (tcpPort == NONE ? 1 : 2) * limits.maxConnections()
                    + MOUNT_LIMITS.maxConnections()
                    + DESCRIPTORS_PER_WORKER * workers
                    + DESCRIPTORS_OF_JAVA;
        }
    }

    private final PeerLog log;
    private final List<End> toClose = new ArrayList<>();
    private final List<Channel> listeners = new ArrayList<>();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Nfs3Program nfs;

    private NfsServer(
            Options options,
            RpcRdmaConfig config,
            PeerLog log,
            @Nullable Consumer<String> access,
            AcceptLimit.Settings mountLimits)
            throws Exception {
        this.log = log;
        boolean started = false;
        try {
            Export export = new Export(options.export, HandleTable.MAX_NODES, log::fault);
            toClose.add(export::close);
            Executor workers = workers("nfs-worker", options.workers, MAX_CALLS_WAITING);
            nfs = new Nfs3Program(export, options.stable, workers, log, access);
            // Anybody may call MOUNT, so it shares nothing with NFS but the files.
            MountProgram mount =
                    new MountProgram(export, workers("mount-worker", 1, mountLimits.maxConnections()), log);
            EventLoopGroup rdma = owned(new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()));
            EventLoopGroup nfsTcp = owned(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()));
            EventLoopGroup mountTcp = owned(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()));
            toClose.add(() -> {
                for (Channel listener : listeners) {
                    listener.close().sync();
                }
                connections.close().await();
            });
            ServerBootstrap overRdma = new ServerBootstrap()
                    .group(rdma)
                    .channel(RdmaServerChannel.class)
                    .handler(AcceptLimit.changeable(options.limits, log))
                    .childHandler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            onAccepted(channel, nfs);
                            Stages.addOverRdma(channel, config, nfs);
                        }
                    });
            listen(overRdma, options.address, options.rdmaPort);
            listen(
                    overTcp(mountTcp, MAX_MOUNT_MESSAGE_BYTES, mount).handler(AcceptLimit.fixed(mountLimits, log)),
                    options.address,
                    options.mountPort);
            if (options.tcpPort != NONE) {
                listen(
                        overTcp(nfsTcp, MAX_NFS_MESSAGE_BYTES, nfs)
                                .handler(AcceptLimit.changeable(options.limits, log)),
                        options.address,
                        options.tcpPort);
            }
            mountTcp.scheduleWithFixedDelay(
                    export.open::closeIdle, OpenFiles.IDLE_SECONDS, OpenFiles.IDLE_SECONDS, TimeUnit.SECONDS);
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
     * @param log    gets what clients cause to be said, a line when one comes or goes for example, at most ten lines a
     *               second; called on any thread
     * @param access gets a line per NFS call, escaped, on any thread; null for none
     * @throws IOException if the directory cannot be served, or this host's name does not resolve
     * @throws Exception   if a port cannot be listened on
     */
    public static NfsServer start(
            Options options, RpcRdmaConfig config, Consumer<String> log, @Nullable Consumer<String> access)
            throws Exception {
        return start(options, config, new PeerLog(log, LineLimit.ofSystem()), access);
    }

    /** The same with a limit of lines that the caller has chosen, and may share. */
    public static NfsServer start(Options options, RpcRdmaConfig config, PeerLog log, @Nullable Consumer<String> access)
            throws Exception {
        return start(options, config, log, access, MOUNT_LIMITS);
    }

    /** The same with other limits of the connections to MOUNT, for tests. */
    static NfsServer start(
            Options options,
            RpcRdmaConfig config,
            PeerLog log,
            @Nullable Consumer<String> access,
            AcceptLimit.Settings mountLimits)
            throws Exception {
        requireHostName();
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() < options.descriptors()) {
            log.fault("this process may open " + system.getMaxFileDescriptorCount() + " files, the server up to "
                    + options.descriptors()
                    + ": raise the limit (ulimit -n), or clients wait when none is left");
        }
        @Nullable Consumer<String> escaped = access == null ? null : line -> access.accept(PeerText.escape(line));
        return new NfsServer(options, config, log, escaped, mountLimits);
    }

    /**
     * Hadoop's credentials of AUTH_SYS ask for the address of this host when their class is loaded. Without one the
     * class stays unusable, and the server would answer no call.
     */
    private static void requireHostName() throws IOException {
        try {
            InetAddress.getLocalHost();
        } catch (UnknownHostException e) {
            throw new IOException(
                    "the name of this host does not resolve (" + e.getMessage()
                            + "), but Hadoop's RPC stack needs it: add a line \"127.0.1.1 NAME\" to /etc/hosts,"
                            + " with the name that the command hostname prints",
                    e);
        }
    }

    private Executor workers(String name, int count, int maxWaiting) {
        ThreadPoolExecutor workers = new ThreadPoolExecutor(
                count,
                count,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(maxWaiting),
                new DefaultThreadFactory(name));
        toClose.add(() -> {
            workers.shutdown();
            workers.awaitTermination(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        });
        return workers;
    }

    private void listen(ServerBootstrap bootstrap, String host, int port) throws IOException, InterruptedException {
        InetSocketAddress address = Addresses.resolveOwn(host, port);
        listeners.add(Addresses.awaitBound(bootstrap.bind(address), address));
    }

    private ServerBootstrap overTcp(EventLoopGroup group, int maxBytes, WorkerProgram program) {
        return TcpKeepalive.applyTo(new ServerBootstrap())
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        onAccepted(channel, program);
                        Stages.addOverTcp(channel, maxBytes, program);
                    }
                });
    }

    private void onAccepted(Channel channel, WorkerProgram program) {
        connections.add(channel);
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

    /** Ends connections, then what is in progress, then closes the export; each of them although others fail. */
    @Override
    public void close() throws IOException {
        @Nullable IOException failure = null;
        for (int i = toClose.size() - 1; i >= 0; i--) {
            try {
                toClose.get(i).end();
            } catch (IOException | RuntimeException e) {
                failure = failure == null ? new IOException("the server did not end cleanly", e) : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the rest ends as fast as it can
            }
        }
        toClose.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
