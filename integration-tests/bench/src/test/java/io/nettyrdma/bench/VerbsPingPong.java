// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.RdmaCmId;
import com.sun.management.ThreadMXBean;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.verbs.choice.RdmaProviders;
import io.nettyrdma.verbs.spi.MemoryWindow;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A ping-pong of 64 bytes in verbs of the installed provider, both ends in this process, a thread each that waits when
 * there is nothing to do: what channels are built on, and the floor of what they can cost. Its twin in C is {@code
 * integration-tests/lab/verbs-ping-pong.c}.
 *
 * <p>Threading: one thread calls all methods.
 */
final class VerbsPingPong implements CountedLoad {

    /** What the caller does for each message besides. */
    enum Exposure {
        /** Nothing. */
        NONE,
        /** Registers memory for the peer to reach, and ends that when the answer is there. */
        REGISTRATION,
        /** Binds a memory window, which the answer invalidates, to memory that is registered once. */
        WINDOW
    }

    private static final long END_SECONDS = 10;
    private static final int EXPOSED_BYTES = 1 << 16;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final int messages;
    private final Exposure exposure;
    private final ByteBuffer exposed = ByteBuffer.allocateDirect(EXPOSED_BYTES);
    /** What the answer invalidates; a program of its own would have it in the message. */
    private volatile int key;

    private final VerbsEnd server;
    private final VerbsEnd client;
    private final RdmaCmId listener;
    // Of daemons, as one that cannot be reached waits for ever.
    private final ExecutorService serving =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("serving", true));
    private final ExecutorService calling =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("calling", true));
    private final List<Long> threadIds;
    private final Future<?> served;

    /** @param messages of a round */
    VerbsPingPong(int messages, Exposure exposure) throws Exception {
        this.messages = messages;
        this.exposure = exposure;
        VerbsExtensions verbs = RdmaProviders.get().extensions();
        server = new VerbsEnd(verbs);
        client = new VerbsEnd(verbs);
        listener = server.createId();
        listener.bindAddr(new InetSocketAddress(LoadedConnections.ADDRESS, 0));
        listener.listen(1);
        threadIds = List.of(idOfThread(serving), idOfThread(calling));
        served = serving.submit(() -> {
            server.accept();
            while (server.nextMessage()) {
                if (exposure == Exposure.WINDOW) {
                    server.sendInvalidating(key);
                } else {
                    server.send();
                }
            }
            return null;
        });
        InetSocketAddress address = verbs.localAddress(listener);
        onCallersThread(() -> client.connect(address), END_SECONDS);
    }

    private static long idOfThread(ExecutorService executor) throws Exception {
        return executor.submit(() -> Thread.currentThread().getId()).get();
    }

    private interface Task {
        void run() throws Exception;
    }

    private void onCallersThread(Task task, long timeoutSeconds) throws Exception {
        Future<?> done = calling.submit(() -> {
            task.run();
            return null;
        });
        done.get(timeoutSeconds, TimeUnit.SECONDS);
    }

    @Override
    public void turn(long timeoutSeconds) throws Exception {
        onCallersThread(this::exchange, timeoutSeconds);
    }

    private void exchange() throws IOException {
        switch (exposure) {
            case NONE -> {
                for (int i = 0; i < messages; i++) {
                    call();
                }
            }
            case REGISTRATION -> {
                for (int i = 0; i < messages; i++) {
                    IbvMr region = client.register(exposed, IbvMr.IBV_ACCESS_REMOTE_READ);
                    call();
                    region.deregMr().execute().free();
                }
            }
            case WINDOW -> exchangeWithWindow();
        }
    }

    private void exchangeWithWindow() throws IOException {
        IbvMr region = client.register(exposed, IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_MW_BIND);
        MemoryWindow window = client.allocateWindow();
        for (int i = 0; i < messages; i++) {
            key = client.bind(window, region);
            call();
        }
        window.free();
        region.deregMr().execute().free();
    }

    private void call() throws IOException {
        client.send();
        if (!client.nextMessage()) {
            throw new IOException("the connection ended in the middle of a round");
        }
    }

    @Override
    public long cpuNanos() {
        return threadIds.stream().mapToLong(threads::getThreadCpuTime).sum();
    }

    @Override
    public void close() {
        try {
            onCallersThread(client::disconnect, END_SECONDS);
            served.get(END_SECONDS, TimeUnit.SECONDS);
            onCallersThread(client::close, END_SECONDS);
            listener.destroyId();
            serving.submit(() -> {
                        server.close();
                        return null;
                    })
                    .get(END_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the end of a ping-pong", e);
        } finally {
            serving.shutdownNow();
            calling.shutdownNow();
        }
    }
}
