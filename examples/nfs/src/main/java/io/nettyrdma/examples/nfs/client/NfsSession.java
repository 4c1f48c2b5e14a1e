// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.GatheringByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All it takes to copy a file: a connection to its server and the handle of its directory.
 *
 * <p>Threading: one thread, not an event loop. Ownership: owns the connection and its event loop, to be closed.
 */
public final class NfsSession implements AutoCloseable {

    private static final long SHUTDOWN_SECONDS = 5;
    private static final int DEFAULT_MODE = 0644;

    private final NfsLocation location;
    private final NfsSettings settings;
    private final EventLoopGroup group;
    private final Nfs3Client nfs;
    private final FileHandle directory;

    private NfsSession(
            NfsLocation location, NfsSettings settings, EventLoopGroup group, Nfs3Client nfs, FileHandle directory) {
        this.location = location;
        this.settings = settings;
        this.group = group;
        this.nfs = nfs;
        this.directory = directory;
    }

    /**
     * Mounts the export that a file is in, connects, and looks the file's directory up.
     *
     * @throws Nfs3Exception if the server refuses one of these
     */
    public static NfsSession open(NfsLocation file, NfsSettings settings) throws IOException, InterruptedException {
        Mount mount = mount(file, settings);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            RpcRdmaConfig config = RpcRdmaConfig.builder()
                    .versions(settings.lowestVersion(), settings.highestVersion())
                    .callTimeout(settings.timeout())
                    .maxCallsWaiting(settings.callsInFlight() + 1)
                    .build();
            InetSocketAddress server = Addresses.resolve(file.host(), settings.rdmaPort());
            Nfs3Client nfs = Nfs3Client.connect(group, server, settings.credential(), config);
            FileHandle directory = mount.handle();
            for (String name :
                    file.directory().subList(mount.depth(), file.directory().size())) {
                directory = Replies.await(nfs.lookup(directory, name)).handle();
            }
            return new NfsSession(file, settings, group, nfs, directory);
        } catch (Throwable e) { // memory or threads may be short, too
            EventLoops.shutDown(group, SHUTDOWN_SECONDS);
            throw e;
        }
    }

    /**
     * The mounted directory nearest to a file.
     *
     * @param handle its handle
     * @param depth  how many names of the file's directory lead to it
     */
    private record Mount(FileHandle handle, int depth) {}

    /**
     * Mounts. Servers that need no portmapper to be found, such as {@code nfs-server} among the examples, are at the
     * usual port.
     */
    private static Mount mount(NfsLocation file, NfsSettings settings) throws IOException, InterruptedException {
        try (MountClient mounts = new MountClient(settings.credential(), settings.timeout(), settings.reservedPort())) {
            if (settings.mountPort() != 0) {
                return mount(file, mounts, settings.mountPort());
            }
            InetSocketAddress portmapper = Addresses.resolve(file.host(), settings.portmapperPort());
            @Nullable IOException unknown = null;
            int port = RpcPrograms.MOUNT_PORT;
            try {
                port = mounts.mountPort(portmapper);
            } catch (IOException e) {
                unknown = e;
            }
            try {
                return mount(file, mounts, port);
            } catch (ConnectException e) {
                if (unknown == null) {
                    throw e;
                }
                e.addSuppressed(unknown);
                throw new IOException(
                        "no mount daemon found: " + e.getMessage() + ", and the portmapper names no other port: "
                                + unknown.getMessage(),
                        e);
            }
        }
    }

    /**
     * Servers differ in whether MNT takes directories below an exported one, and nothing says where the export begins,
     * so the longest path is tried first. If all are refused, the first refusal is the one to be told.
     *
     * <p>The mount daemon notes who has mounted what, for people to look at. Handles do not depend on it, so the note
     * is taken back at once and cannot be left behind.
     */
    private static Mount mount(NfsLocation file, MountClient mounts, int port)
            throws IOException, InterruptedException {
        InetSocketAddress daemon = Addresses.resolve(file.host(), port);
        @Nullable Nfs3Exception refusal = null;
        for (int depth = file.directory().size(); depth >= 0; depth--) {
            try {
                Mount mount = new Mount(mounts.mount(daemon, file.path(depth)), depth);
                mounts.unmount(daemon, file.path(depth));
                return mount;
            } catch (Nfs3Exception e) {
                refusal = refusal == null ? e : refusal;
            }
        }
        throw Objects.requireNonNull(refusal);
    }

    /** Copies the file that the session was opened for to this machine, as said at {@link FileDownload}. */
    public void download(Path target, CopyListener listener) throws IOException, InterruptedException {
        download(listener).copy(find(), target);
    }

    /** The same to what takes the octets in order, such as the standard output; it stays open. */
    public void download(GatheringByteChannel target, CopyListener listener) throws IOException, InterruptedException {
        download(listener).copy(find(), target);
    }

    private FileDownload download(CopyListener listener) throws IOException, InterruptedException {
        int bytes = transferBytes(Replies.await(nfs.fileSystemInfo(directory)).maxReadBytes());
        return new FileDownload(nfs, bytes, settings.callsInFlight(), listener);
    }

    private FileHandle find() throws IOException, InterruptedException {
        return Replies.await(nfs.lookup(directory, location.name())).handle();
    }

    /** Makes the file that the session was opened for of one of this machine, as said at {@link FileUpload}. */
    public void upload(Path source, CopyListener listener) throws IOException, InterruptedException {
        int bytes = transferBytes(Replies.await(nfs.fileSystemInfo(directory)).maxWriteBytes());
        new FileUpload(nfs, bytes, settings.callsInFlight(), listener)
                .copy(source, directory, location.name(), mode(source));
    }

    private int transferBytes(long serverMaxBytes) {
        return (int) Math.max(1, Math.min(settings.transferBytes(), serverMaxBytes));
    }

    /** The permissions of a file, where there are such. */
    private static int mode(Path file) throws IOException {
        return Files.getFileStore(file).supportsFileAttributeView("unix")
                ? (Integer) Files.getAttribute(file, "unix:mode") & 0777
                : DEFAULT_MODE;
    }

    @Override
    public void close() {
        nfs.close();
        EventLoops.shutDown(group, SHUTDOWN_SECONDS);
    }
}
