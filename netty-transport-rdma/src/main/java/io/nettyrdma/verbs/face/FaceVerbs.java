// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.face;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's verbs but for the work of a provider: objects for its calls, and what none of the providers has.
 *
 * <p>Threading: as the objects that are passed.
 */
public abstract class FaceVerbs extends RdmaVerbs {

    /** Work of a provider without a result. */
    public interface Step {
        void run() throws IOException;
    }

    /** Registers memory. */
    public interface Registration {
        IbvMr make() throws IOException;
    }

    /** Returns the failure of a program of DiSNI that has threads of its own instead of an event loop. */
    public static IOException eventLoopsOnly(String provider) {
        return new IOException("the provider " + provider + " serves Netty's event loops only; a program with threads"
                + " of its own needs DiSNI's native library: -Dio.nettyrdma.provider=disni");
    }

    /** Returns the parameters of connect and accept, which DiSNI's own class cannot say without an address in C. */
    public static ConnectionParameters parameters(@Nullable RdmaConnParam parameters) throws IOException {
        if (parameters instanceof ConnectionParameters known) {
            return known;
        }
        throw new IOException("connect and accept take ConnectionParameters, not " + parameters);
    }

    /**
     * Returns a call that arms a completion queue for its next completion.
     *
     * @throws IOException if only solicited completions are asked for
     */
    protected static SVCReqNotify notification(IbvCQ cq, boolean solicitedOnly, Step arm) throws IOException {
        if (solicitedOnly) {
            throw new IOException("call reqNotification(false): every completion wakes up an event loop");
        }
        return new SVCReqNotify() {
            @Override
            public SVCReqNotify execute() throws IOException {
                arm.run();
                return this;
            }

            @Override
            public boolean isValid() {
                return cq.isOpen();
            }

            @Override
            public SVCReqNotify free() {
                return this;
            }
        };
    }

    /** Returns a call that registers memory. */
    protected static SVCRegMr registration(IbvPd pd, Registration registration) {
        return new SVCRegMr() {
            private @Nullable IbvMr made;

            @Override
            public SVCRegMr execute() throws IOException {
                made = registration.make();
                return this;
            }

            @Override
            @SuppressWarnings("NullAway") // DiSNI promises nothing before execute()
            public IbvMr getMr() {
                return made;
            }

            @Override
            public boolean isValid() {
                return pd.isOpen();
            }

            @Override
            public SVCRegMr free() {
                return this;
            }
        };
    }

    /** Returns a call that deregisters memory. */
    protected static SVCDeregMr deregistration(IbvMr mr, Step deregister) {
        return new SVCDeregMr() {
            @Override
            public SVCDeregMr execute() throws IOException {
                deregister.run();
                return this;
            }

            @Override
            public boolean isValid() {
                return mr.isOpen();
            }

            @Override
            public SVCDeregMr free() {
                return this;
            }
        };
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ cq, IbvWC[] completions, int max) throws IOException {
        throw new IOException("call VerbsExtensions.poller to take completions");
    }

    @Override
    public SVCPostSend postSend(IbvQP qp, List<IbvSendWR> requests, List<IbvSendWR> bad) throws IOException {
        throw new IOException("call VerbsExtensions.postBatch to post to the send queue");
    }

    @Override
    public SVCPostRecv postRecv(IbvQP qp, List<IbvRecvWR> requests, List<IbvRecvWR> bad) throws IOException {
        throw new IOException("call VerbsExtensions.postReceives to post receives");
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) throws IOException {
        throw new IOException("this provider registers direct ByteBuffers, which it holds, not raw addresses");
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, @Nullable IbvCQ cq, int timeoutMillis) throws IOException {
        throw new IOException("call VerbsExtensions.await, which takes the completion events of an event loop");
    }

    @Override
    public int ackCqEvents(IbvCQ cq, int events) throws IOException {
        return 0; // taking an event is all there is to it
    }

    @Override
    public int queryOdpSupport(IbvContext context) throws IOException {
        return 0;
    }

    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) throws IOException {
        throw new IOException("on-demand paging is not supported");
    }
}
