// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.RecordMarkCodec;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One directory, served with NFS version 3 over RDMA. The MOUNT protocol never runs over RDMA, so it has a TCP port.
 *
 * <p>Threading: started and closed by one thread. Ownership: owns its event loops, workers and the open export.
 */
public final class NfsServer implements AutoCloseable {

    private static final int MAX_MOUNT_CALL_BYTES = 4096;
    private static final ConnectionLimit.Settings MOUNT_LIMITS = new ConnectionLimit.Settings(64, 30);
    private static final int TIDY_SECONDS = 10;
    private static final int SHUTDOWN_SECONDS = 10;

    /**
     * What to serve and where.
     *
     * @param directory the export
     * @param address   address to listen on
     * @param rdmaPort  port of NFS over RDMA, 20049 by custom; 0 for any
     * @param mountPort TCP port of MOUNT; 0 for any
     * @param workers   threads that use files
     * @param limits    connections to the port of NFS, and how long they may be idle
     */
    public record Options(
            Path directory, String address, int rdmaPort, int mountPort, int workers, ConnectionLimit.Settings limits) {

        /** Descriptors that the server may need: for files, for connections, and some for each worker and for Java. */
        private long descriptors() {
            int connections = limits.maxConnections() + MOUNT_LIMITS.maxConnections();
            return OpenFiles.MAX_OPEN + connections + 4L * workers + 64;
        }
    }

    private final EventLoopGroup rdma = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
    private final EventLoopGroup tcp = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<Channel> listeners = new ArrayList<>();
    private final FairWorkers workers;

    private final Export export;
    private final PeerLog log;

    private NfsServer(int threads, Export export, PeerLog log) {
        workers = new FairWorkers(threads);
        this.export = export;
        this.log = log;
    }

    /**
     * Starts a server.
     *
     * @param config limits of RPC-over-RDMA, and the listener that sees every message
     * @param log    gets what clients cause to be said, a line when one comes or goes for example, on any thread
     * @throws IOException if the directory cannot be served, or a port cannot be listened on
     */
    public static NfsServer start(Options options, RpcRdmaConfig config, PeerLog log)
            throws IOException, InterruptedException {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() < options.descriptors()) {
            log.fault("this process may open " + system.getMaxFileDescriptorCount() + " files, the server up to "
                    + options.descriptors() + ": raise the limit (ulimit -n), or clients wait when none is left");
        }
        Export export = new Export(options.directory, HandleTable.MAX_NODES, log::fault);
        NfsServer server = new NfsServer(options.workers, export, log);
        try {
            server.listen(options, config);
            return server;
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void listen(Options options, RpcRdmaConfig config) throws IOException, InterruptedException {
        ServerBootstrap overRdma = new ServerBootstrap()
                .group(rdma)
                .channel(RdmaServerChannel.class)
                .handler(new ConnectionLimit(options.limits, log));
        listen(overRdma, options.address, options.rdmaPort, channel -> addNfs(channel, config));
        ServerBootstrap overTcp = new ServerBootstrap()
                .group(tcp)
                .channel(NioServerSocketChannel.class)
                .handler(new ConnectionLimit(MOUNT_LIMITS, log));
        listen(overTcp, options.address, options.mountPort, this::addMount);
        Executor tidying = workers.new Connection();
        tcp.scheduleWithFixedDelay(() -> tidying.execute(export::tidy), TIDY_SECONDS, TIDY_SECONDS, TimeUnit.SECONDS);
    }

    private void listen(ServerBootstrap bootstrap, String host, int port, Consumer<Channel> onAccepted)
            throws IOException, InterruptedException {
        bootstrap.childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                onAccepted.accept(channel);
            }
        });
        InetSocketAddress address = Addresses.resolveOwn(host, port);
        listeners.add(Addresses.awaitBound(bootstrap.bind(address), address));
    }

    private void addNfs(Channel channel, RpcRdmaConfig config) {
        log.accept(channel.remoteAddress() + " connected");
        channel.closeFuture().addListener(closed -> log.accept(channel.remoteAddress() + " disconnected"));
        channel.pipeline()
                .addLast(new RpcRdmaResponderHandler(config))
                .addLast(new FlushConsolidationHandler(256, true));
        Nfs3Program.addTo(channel, export, workers.new Connection(), log);
        channel.pipeline().addLast(log);
    }

    private void addMount(Channel channel) {
        String host = ((InetSocketAddress) channel.remoteAddress()).getHostString();
        channel.pipeline()
                .addLast(new RecordMarkCodec(MAX_MOUNT_CALL_BYTES))
                .addLast(MountProgram.of(export, host, log))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelWritabilityChanged(ChannelHandlerContext context) {
                        context.close(); // the client does not take its replies
                    }
                })
                .addLast(log);
    }

    /** Where NFS over RDMA is listened for. */
    public InetSocketAddress rdmaAddress() {
        return (InetSocketAddress) listeners.get(0).localAddress();
    }

    /** Where MOUNT is listened for. */
    public InetSocketAddress mountAddress() {
        return (InetSocketAddress) listeners.get(1).localAddress();
    }

    /** One line about all calls so far. */
    public String summary() {
        return String.format(Locale.ROOT, "%,d calls", export.calls.sum());
    }

    /** Ends connections, then what is in progress, then closes the export. */
    @Override
    public void close() {
        EventLoops.shutDown(rdma, SHUTDOWN_SECONDS);
        EventLoops.shutDown(tcp, SHUTDOWN_SECONDS);
        try {
            workers.close(SHUTDOWN_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        export.open.close(node -> true);
    }
}
