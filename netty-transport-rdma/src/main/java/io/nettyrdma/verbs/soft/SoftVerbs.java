// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.verbs.face.FaceVerbs;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * DiSNI's verbs over the software device. What an object belongs to is asked of the object, so that one instance
 * serves all.
 *
 * <p>Threading: as the objects that are passed.
 */
final class SoftVerbs extends FaceVerbs {

    static final int MAX_CQ_ENTRIES = 1 << 24;

    /** DiSNI wants one for each completion queue; the event channel takes the events. */
    private static final class CompChannel extends IbvCompChannel {
        private final SoftDevice device;

        CompChannel(SoftContext context) throws IOException {
            super(-1, context);
            device = context.device();
        }
    }

    static <T> T cast(Class<T> type, Object object) throws IOException {
        if (!type.isInstance(object)) {
            throw new IOException("not an object of the software provider: " + object);
        }
        return type.cast(object);
    }

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        SoftPd pd = new SoftPd(cast(SoftContext.class, context));
        pd.device().protectionDomains.incrementAndGet();
        return pd;
    }

    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        SoftPd p = cast(SoftPd.class, pd);
        if (p.domain().members() != 0) {
            throw new IOException(
                    "protection domain is in use by " + p.domain().members() + " regions and queue pairs");
        }
        if (p.isOpen()) {
            p.close();
            p.device().protectionDomains.decrementAndGet();
        }
        return 0;
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        SoftContext c = cast(SoftContext.class, context);
        IbvCompChannel channel = new CompChannel(c);
        c.device().completionChannels.incrementAndGet();
        return channel;
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        CompChannel c = cast(CompChannel.class, channel);
        if (c.isOpen()) {
            c.close();
            c.device.completionChannels.decrementAndGet();
        }
        return 0;
    }

    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector) throws IOException {
        if (entries < 1 || entries > MAX_CQ_ENTRIES) {
            throw new IOException("completion queue entries: " + entries + " (expected: 1 to " + MAX_CQ_ENTRIES + ")");
        }
        SoftCq cq = new SoftCq(cast(SoftContext.class, context), channel, entries);
        cq.device().completionQueues.incrementAndGet();
        return cq;
    }

    @Override
    public int destroyCQ(IbvCQ cq) throws IOException {
        SoftCq c = cast(SoftCq.class, cq);
        if (c.destroy()) {
            c.device().completionQueues.decrementAndGet();
            SoftEventChannel events = c.attachedTo();
            if (events != null) {
                events.detach(c);
            }
        }
        return 0;
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) throws IOException {
        SoftCq c = cast(SoftCq.class, cq);
        return notification(c, solicitedOnly, c::arm);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
        SoftPd domain = cast(SoftPd.class, pd);
        SoftMr.check(buffer, access);
        return registration(domain, () -> SoftMr.register(domain, buffer, access));
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) throws IOException {
        SoftMr m = cast(SoftMr.class, mr);
        return deregistration(m, m::deregister);
    }
}
