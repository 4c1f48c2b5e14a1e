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
package io.nettyrdma.channel;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.verbs.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.util.ArrayDeque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Listens for RDMA connections and hands each request, before it is accepted, to a new {@link RdmaChannel}. The child
 * accepts on its own event loop, after its pipeline has seen the peer's private data.
 *
 * <p>Options: {@link ChannelOption#SO_BACKLOG}, the number of connections that may be half-open (default 128): connected
 * below RDMA, and neither accepted nor rejected yet. The software provider replaces those that say nothing when others
 * come; those that have asked and wait for the application are never replaced. One costs it a socket, and at most 3 KiB of
 * heap and 1 KiB of direct memory: half a megabyte for a full backlog.
 *
 * <p>Threading: as any Netty channel.
 */
public final class RdmaServerChannel extends AbstractServerChannel {

    private final Config config = new Config(this);
    private final Handle handle = new Handle();
    /** Requests that came while nobody reads; at most the backlog. */
    private final ArrayDeque<RdmaChannel> waiting = new ArrayDeque<>();

    private @Nullable IoRegistration loopRegistration;
    private @Nullable RdmaRegistration registration;
    private @Nullable RdmaCmId id;
    private volatile @Nullable InetSocketAddress local;
    private volatile boolean closed;
    private boolean readPending;

    /** Used by {@code ServerBootstrap.channel(RdmaServerChannel.class)}. */
    public RdmaServerChannel() {}

    private final class Handle implements RdmaIoHandle {
        @Override
        public void handle(IoRegistration source, IoEvent event) {
            if (event instanceof RdmaCmIoEvent cmEvent && cmEvent.type() == VerbsConstants.CM_CONNECT_REQUEST) {
                requested(cmEvent);
            }
        }

        @Override
        public boolean hasOutstanding() {
            return false; // a listener has no queue pair
        }

        @Override
        public boolean isOn(LoopDevice device) {
            return false; // nor anything else of a device
        }

        @Override
        public void fail(RdmaDeviceException cause) {
            if (!closed) {
                pipeline().fireExceptionCaught(cause);
                close();
            }
        }

        @Override
        public void close() {
            unsafe().close(voidPromise());
        }
    }

    private static final class Config extends DefaultChannelConfig {
        private volatile int backlog = VerbsConstants.DEFAULT_BACKLOG;

        Config(RdmaServerChannel channel) {
            super(channel);
        }

        @Override
        public Map<ChannelOption<?>, Object> getOptions() {
            return getOptions(super.getOptions(), ChannelOption.SO_BACKLOG);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T getOption(ChannelOption<T> option) {
            return option == ChannelOption.SO_BACKLOG ? (T) Integer.valueOf(backlog) : super.getOption(option);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            validate(option, value);
            if (option == ChannelOption.SO_BACKLOG) {
                int wanted = (Integer) value;
                if (wanted <= 0) {
                    throw new IllegalArgumentException("SO_BACKLOG: " + wanted + " (expected: > 0)");
                }
                backlog = wanted;
                return true;
            }
            return super.setOption(option, value);
        }

        @Override
        protected void autoReadCleared() {
            ((RdmaServerChannel) channel).clearRead();
        }
    }

    @Override
    public DefaultChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return !closed && local != null;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(RdmaIoHandle.class);
    }

    @Override
    @Nullable
    protected SocketAddress localAddress0() {
        return local;
    }

    private void clearRead() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            readPending = false;
        } else {
            eventLoop().execute(() -> readPending = false);
        }
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (id != null) {
            promise.setFailure(new IllegalStateException(
                    "a bound RDMA listener cannot move to another event loop: its port belongs to the first"));
            return;
        }
        ((IoEventLoop) eventLoop()).register(handle).addListener(future -> {
            if (future.isSuccess()) {
                IoRegistration made = (IoRegistration) future.getNow();
                loopRegistration = made;
                registration = made.attachment();
                promise.setSuccess();
            } else {
                promise.setFailure(future.cause());
            }
        });
    }

    @Override
    protected void doDeregister() {
        IoRegistration present = loopRegistration;
        if (present != null) {
            loopRegistration = null;
            present.cancel();
        }
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        RdmaRegistration present = registration;
        if (present == null) {
            throw new IllegalStateException("not registered");
        }
        if (id != null) {
            throw new AlreadyBoundException();
        }
        RdmaIoHandler loop = present.handler();
        RdmaCmId listener = loop.events().createId(RdmaCm.RDMA_PS_TCP);
        if (listener == null) {
            throw new IOException("the provider could not create a listener's id");
        }
        try {
            listener.bindAddr(localAddress);
            listener.listen(config.backlog);
        } catch (Throwable e) {
            listener.destroyId();
            throw e;
        }
        id = listener;
        present.watch(listener);
        local = loop.verbs().localAddress(listener);
    }

    private void requested(RdmaCmIoEvent event) {
        RdmaRegistration present = registration;
        if (present == null) {
            return;
        }
        RdmaIoHandler loop = present.handler();
        RdmaChannel child = new RdmaChannel(this, new ConnectionRequest(loop, event.id(), event.peer()));
        if (!isRegistered()) {
            child.unsafe().closeForcibly(); // nobody would hear of it
            return;
        }
        if (!readPending && !config.isAutoRead()) {
            if (waiting.size() >= config.backlog) {
                child.unsafe().closeForcibly();
            } else {
                waiting.add(child);
            }
            return;
        }
        deliver(child);
        pipeline().fireChannelReadComplete();
        continueReading();
    }

    private void deliver(RdmaChannel child) {
        readPending = false;
        pipeline().fireChannelRead(child);
    }

    private void continueReading() {
        if (config.isAutoRead()) {
            read();
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        RdmaChannel child = waiting.poll();
        if (child != null) {
            eventLoop().execute(() -> {
                if (closed) {
                    child.unsafe().closeForcibly(); // in the meantime
                    return;
                }
                deliver(child);
                pipeline().fireChannelReadComplete();
                continueReading();
            });
        }
    }

    @Override
    protected void doClose() throws IOException {
        closed = true;
        RdmaChannel child;
        while ((child = waiting.poll()) != null) {
            child.unsafe().closeForcibly();
        }
        RdmaCmId listener = id;
        id = null;
        RdmaRegistration present = registration;
        if (listener != null && present != null) {
            present.unwatch(listener);
            listener.destroyId();
        }
    }
}
