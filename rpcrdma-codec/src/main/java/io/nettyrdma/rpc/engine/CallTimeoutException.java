package io.nettyrdma.rpc.engine;

/** No reply came in time. The responder may or may not have executed the call. Its credit stays taken until a late reply arrives, because the responder's receive may still be. */
public final class CallTimeoutException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    CallTimeoutException(int xid, boolean sent) {
        super(xid, (sent ? "no reply in time" : "no credit in time, call not sent"));
    }
}
