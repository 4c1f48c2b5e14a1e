// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.verbs.face.FaceVerbs;
import io.nettyrdma.verbs.soft.CompletionEvents;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.spi.CompletionPoller;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The software provider behind DiSNI's API as a device is: any thread makes calls and waits in them, and a thread of
 * the provider moves the octets. As an event channel of the software provider belongs to one thread at a time, the
 * monitor of this object guards every call.
 */
final class ThreadedProvider extends RdmaProvider {

    /** How long the octets of a peer may lie unread while no call comes. */
    private static final long MAX_PAUSE_MILLIS = 1;

    private final SoftProvider soft;
    private final RdmaCm cm;
    private final RdmaVerbs verbs;
    private final List<RdmaEventChannel> channels = new ArrayList<>();

    ThreadedProvider(SoftProvider soft) {
        this.soft = soft;
        cm = new Cm();
        verbs = new Verbs();
        Thread thread = new Thread(this::drive, "threaded-provider");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return soft.getVersion();
    }

    private void drive() {
        try {
            while (true) {
                moveOctets();
                Thread.yield();
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private synchronized void moveOctets() throws IOException, InterruptedException {
        boolean any = false;
        for (RdmaEventChannel channel : channels) {
            any |= soft.extensions().progress(channel);
        }
        if (any) {
            notifyAll();
        } else {
            wait(channels.isEmpty() ? 0 : MAX_PAUSE_MILLIS);
        }
    }

    private interface Call<T> {
        T run() throws IOException;
    }

    private interface Step {
        void run() throws IOException;
    }

    private synchronized <T> T locked(Call<T> call) throws IOException {
        try {
            return call.run();
        } finally {
            notifyAll();
        }
    }

    private void locked(Step step) throws IOException {
        locked(() -> {
            step.run();
            return null;
        });
    }

    /** Makes a call until it gives something but {@code nothing}, or the time is over. */
    private synchronized <T> T await(Call<T> call, T nothing, int timeoutMillis) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        T result = call.run();
        while (result == nothing && (timeoutMillis < 0 || System.nanoTime() - end < 0)) {
            try {
                wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            }
            result = call.run();
        }
        return result;
    }

    private final class Cm extends RdmaCm {

        private final RdmaCm cm = soft.openCm();

        @Override
        public RdmaEventChannel createEventChannel() throws IOException {
            return locked(() -> {
                RdmaEventChannel channel = soft.extensions().openConfinedEventChannel();
                channels.add(channel);
                return channel;
            });
        }

        @Override
        public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
            locked(() -> {
                channels.remove(channel);
                soft.extensions().closeEventChannel(channel);
            });
            return 0;
        }

        @Override
        public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
            return locked(() -> cm.createId(channel, portSpace));
        }

        @Override
        public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
            return locked(() -> cm.createQP(id, pd, attributes));
        }

        @Override
        public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
            locked(() -> cm.bindAddr(id, address));
        }

        @Override
        public void listen(RdmaCmId id, int backlog) throws IOException {
            locked(() -> cm.listen(id, backlog));
        }

        @Override
        public void resolveAddr(RdmaCmId id, SocketAddress source, SocketAddress destination, int timeoutMillis)
                throws IOException {
            locked(() -> cm.resolveAddr(id, source, destination, timeoutMillis));
        }

        @Override
        public void resolveRoute(RdmaCmId id, int timeoutMillis) throws IOException {
            locked(() -> cm.resolveRoute(id, timeoutMillis));
        }

        @Override
        public RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
            return await(() -> cm.getCmEvent(channel, 0), null, timeoutMillis);
        }

        @Override
        public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
            locked(() -> cm.connect(id, parameters));
        }

        @Override
        public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
            locked(() -> cm.accept(id, parameters));
        }

        @Override
        public int ackCmEvent(RdmaCmEvent event) {
            return cm.ackCmEvent(event);
        }

        @Override
        public int disconnect(RdmaCmId id) throws IOException {
            return locked(() -> cm.disconnect(id));
        }

        @Override
        public int destroyCmId(RdmaCmId id) throws IOException {
            return locked(() -> cm.destroyCmId(id));
        }

        @Override
        public int destroyQP(RdmaCmId id) throws IOException {
            return locked(() -> cm.destroyQP(id));
        }

        @Override
        public SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
            return locked(() -> cm.getSrcAddr(id));
        }

        @Override
        public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
            return locked(() -> cm.getDstAddr(id));
        }

        @Override
        public int destroyEp(RdmaCmId id) throws IOException {
            return locked(() -> cm.destroyEp(id));
        }
    }

    private final class Verbs extends FaceVerbs {

        private final RdmaVerbs verbs = soft.openVerbs();

        @Override
        public IbvPd allocPd(IbvContext context) throws IOException {
            return locked(() -> verbs.allocPd(context));
        }

        @Override
        public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
            return locked(() -> verbs.createCompChannel(context));
        }

        @Override
        public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector) throws IOException {
            return locked(() -> verbs.createCQ(context, channel, entries, vector));
        }

        @Override
        public boolean getCqEvent(IbvCompChannel channel, IbvCQ cq, int timeoutMillis) throws IOException {
            return await(() -> CompletionEvents.take(cq), false, timeoutMillis);
        }

        @Override
        public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
            SVCRegMr call = verbs.regMr(pd, buffer, access);
            return registration(pd, () -> locked(() -> call.execute().getMr()));
        }

        @Override
        public SVCDeregMr deregMr(IbvMr mr) throws IOException {
            SVCDeregMr call = verbs.deregMr(mr);
            return deregistration(mr, () -> locked(() -> call.execute()));
        }

        @Override
        public SVCPostSend postSend(IbvQP qp, List<IbvSendWR> requests, List<IbvSendWR> bad) {
            return new ListedSends(
                    qp, requests, batch -> locked(() -> soft.extensions().postBatch(qp, batch)));
        }

        @Override
        public SVCPostRecv postRecv(IbvQP qp, List<IbvRecvWR> requests, List<IbvRecvWR> bad) {
            return new ListedReceives(
                    qp, requests, batch -> locked(() -> soft.extensions().postReceives(qp, batch)));
        }

        @Override
        public SVCPollCq pollCQ(IbvCQ cq, IbvWC[] completions, int max) throws IOException {
            CompletionPoller poller = soft.extensions().poller(cq);
            // A poll that finds nothing changes nothing, so that the other threads are not woken up for it.
            return new ListedPoll(cq, completions, handler -> {
                synchronized (ThreadedProvider.this) {
                    return poller.poll(handler);
                }
            });
        }

        @Override
        public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) throws IOException {
            SVCReqNotify call = verbs.reqNotifyCQ(cq, solicitedOnly);
            return notification(cq, solicitedOnly, () -> locked(() -> call.execute()));
        }

        @Override
        public int destroyCompChannel(IbvCompChannel channel) throws IOException {
            return locked(() -> verbs.destroyCompChannel(channel));
        }

        @Override
        public int deallocPd(IbvPd pd) throws IOException {
            return locked(() -> verbs.deallocPd(pd));
        }

        @Override
        public int destroyCQ(IbvCQ cq) throws IOException {
            return locked(() -> verbs.destroyCQ(cq));
        }
    }
}
