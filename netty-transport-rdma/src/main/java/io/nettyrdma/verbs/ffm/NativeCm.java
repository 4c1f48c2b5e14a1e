// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.face.FaceVerbs;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** DiSNI's connection manager over librdmacm. Threading: as the objects that are passed. */
final class NativeCm extends RdmaCm {

    /** How long librdmacm may take to resolve an address or a route, at most; its field is an {@code int}. */
    private static final int MAX_RESOLVE_MILLIS = 60_000;

    private static final String NO_LOOPBACK = "; no device serves the loopback address: take an address of the device's"
            + " interface, or -Dio.nettyrdma.provider=soft";

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        throw FaceVerbs.eventLoopsOnly("native");
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
        cast(NativeEventChannel.class, channel).destroy();
        return 0;
    }

    static <T> T cast(Class<T> type, Object object) throws IOException {
        if (!type.isInstance(object)) {
            throw new IOException("not an object of the native provider: " + object);
        }
        return type.cast(object);
    }

    private static NativeCmId open(RdmaCmId id) throws IOException {
        NativeCmId known = cast(NativeCmId.class, id);
        if (!known.isOpen()) {
            throw new IOException("id is destroyed");
        }
        return known;
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        if (portSpace != RDMA_PS_TCP) {
            throw new IOException("port space " + portSpace + " is not supported, only RDMA_PS_TCP");
        }
        return NativeCmId.create(cast(NativeEventChannel.class, channel));
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        NativeCmId known = open(id);
        NativeQp qp = NativeQp.create(
                known,
                cast(NativePd.class, pd),
                cast(NativeCq.class, attributes.getSend_cq()),
                cast(NativeCq.class, attributes.getRecv_cq()),
                attributes);
        known.queuePair(qp);
        return qp;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        cast(NativeCmId.class, id).destroyQueuePair();
        return 0;
    }

    private static NativeMemory encoded(SocketAddress address) throws IOException {
        NativeMemory memory = new NativeMemory(SocketAddresses.BYTES);
        SocketAddresses.encode(address, memory.octets());
        return memory;
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        NativeCmId known = open(id);
        NativeMemory memory = encoded(address);
        succeed(
                "rdma_bind_addr to " + address,
                () -> (int) VerbsLibrary.RDMA_BIND_ADDR.invokeExact(known.pointer(), memory.address()),
                memory);
    }

    /** Makes a call that fails as Java says it: on siw addresses are bound by listen and by connect, on rxe by bind. */
    private static void succeed(String what, VerbsLibrary.IntCall call, Object... held) throws IOException {
        try {
            VerbsLibrary.succeed(what, call, held);
        } catch (NativeFailure e) {
            throw asJavaHasIt(e, null);
        }
    }

    /** As Java says it, where Java has a word for it. */
    static IOException asJavaHasIt(NativeFailure e, @Nullable SocketAddress peer) {
        return switch (e.errno()) {
            case VerbsLibrary.EADDRINUSE, VerbsLibrary.EADDRNOTAVAIL ->
                (IOException) new BindException(e.getMessage()).initCause(e);
            case VerbsLibrary.ECONNREFUSED ->
                (IOException)
                        new ConnectException("Connection refused" + (peer == null ? "" : ": " + peer)).initCause(e);
            default -> e;
        };
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        NativeCmId known = open(id);
        succeed("rdma_listen", () -> (int) VerbsLibrary.RDMA_LISTEN.invokeExact(known.pointer(), backlog));
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        NativeCmId known = open(id);
        NativeMemory to = encoded(destination);
        NativeMemory from = source == null ? to : encoded(source);
        long fromAddress = source == null ? 0 : from.address();
        int timeout = Math.min(timeoutMillis, MAX_RESOLVE_MILLIS);
        try {
            VerbsLibrary.succeed(
                    "rdma_resolve_addr " + destination,
                    () -> (int) VerbsLibrary.RDMA_RESOLVE_ADDR.invokeExact(
                            known.pointer(), fromAddress, to.address(), timeout),
                    to,
                    from);
        } catch (NativeFailure e) {
            throw advised(e, destination);
        }
    }

    /** Adds what to do, if that is known: siw does not resolve loopback addresses, rxe finds no route to them. */
    static NativeFailure advised(NativeFailure e, @Nullable SocketAddress destination) {
        return isLoopback(destination) ? new NativeFailure(e.getMessage() + NO_LOOPBACK, e.errno()) : e;
    }

    private static boolean isLoopback(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress known && known.getAddress().isLoopbackAddress();
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMillis) throws IOException {
        NativeCmId known = open(id);
        int timeout = Math.min(timeoutMillis, MAX_RESOLVE_MILLIS);
        InetSocketAddress destination = known.destination();
        try {
            VerbsLibrary.succeed("rdma_resolve_route " + destination, () ->
                    (int) VerbsLibrary.RDMA_RESOLVE_ROUTE.invokeExact(known.pointer(), timeout));
        } catch (NativeFailure e) {
            throw advised(e, destination);
        }
    }

    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        throw new IOException("call VerbsExtensions.pollCmEvent for the event channel of an event loop");
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0; // was done when it was copied
    }

    @Override
    public void connect(RdmaCmId id, @Nullable RdmaConnParam parameters) throws IOException {
        NativeCmId known = open(id);
        SocketAddress peer = known.destination();
        NativeMemory memory = ParameterEncoder.encode(parameters);
        try {
            VerbsLibrary.succeed(
                    "rdma_connect to " + peer,
                    () -> (int) VerbsLibrary.RDMA_CONNECT.invokeExact(known.pointer(), memory.address()),
                    memory);
        } catch (NativeFailure e) {
            throw asJavaHasIt(e, peer);
        }
    }

    @Override
    public void accept(RdmaCmId id, @Nullable RdmaConnParam parameters) throws IOException {
        NativeCmId known = open(id);
        NativeMemory memory = ParameterEncoder.encode(parameters);
        succeed(
                "rdma_accept",
                () -> (int) VerbsLibrary.RDMA_ACCEPT.invokeExact(known.pointer(), memory.address()),
                memory);
    }

    /** {@code rdma_reject}. */
    static void reject(RdmaCmId id, byte[] privateData) throws IOException {
        NativeCmId known = open(id);
        NativeMemory memory = new NativeMemory(Math.max(1, privateData.length));
        memory.octets().put(0, privateData);
        long address = privateData.length == 0 ? 0 : memory.address();
        VerbsLibrary.succeed(
                "rdma_reject",
                () -> (int) VerbsLibrary.RDMA_REJECT.invokeExact(known.pointer(), address, (byte) privateData.length),
                memory);
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        NativeCmId known = open(id);
        VerbsLibrary.succeed("rdma_disconnect", () -> (int) VerbsLibrary.RDMA_DISCONNECT.invokeExact(known.pointer()));
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        cast(NativeCmId.class, id).destroy();
        return 0;
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        return destroyCmId(id);
    }

    @Override
    public @Nullable SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        return cast(NativeCmId.class, id).source();
    }

    @Override
    public @Nullable SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        return cast(NativeCmId.class, id).destination();
    }
}
