package io.nettyrdma.rpc.engine;

/** More calls wait for credits than {@code RpcRdmaConfig.maxCallsWaiting} allows; the call was not sent. */
public final class CallQueueFullException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    CallQueueFullException(int xid, int maxCallsWaiting) {
        super(xid, "already " + maxCallsWaiting + " calls are waiting for credits");
    }
}
