// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

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
import org.jspecify.annotations.Nullable;

/** DiSNI's verbs over libibverbs. Threading: as the objects that are passed. */
final class NativeVerbs extends FaceVerbs {

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        return new NativePd(NativeCm.cast(NativeContext.class, context));
    }

    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        NativeCm.cast(NativePd.class, pd).deallocate();
        return 0;
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        return NativeCompChannel.create(NativeCm.cast(NativeContext.class, context));
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        NativeCm.cast(NativeCompChannel.class, channel).destroy();
        return 0;
    }

    @Override
    public IbvCQ createCQ(IbvContext context, @Nullable IbvCompChannel channel, int entries, int vector)
            throws IOException {
        return NativeCq.create(
                NativeCm.cast(NativeContext.class, context),
                channel == null ? null : NativeCm.cast(NativeCompChannel.class, channel),
                entries,
                vector);
    }

    @Override
    public int destroyCQ(IbvCQ cq) throws IOException {
        NativeCm.cast(NativeCq.class, cq).destroy();
        return 0;
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) throws IOException {
        NativeCq queue = NativeCm.cast(NativeCq.class, cq);
        return notification(queue, solicitedOnly, queue::arm);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
        NativePd domain = NativeCm.cast(NativePd.class, pd);
        if (!buffer.isDirect()) {
            throw new IOException("only direct buffers can be registered");
        }
        return registration(domain, () -> NativeMr.register(domain, buffer, access));
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) throws IOException {
        NativeMr memory = NativeCm.cast(NativeMr.class, mr);
        return deregistration(memory, memory::deregister);
    }
}
