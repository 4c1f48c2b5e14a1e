package io.nettyrdma.rpc.engine;

/** What was to be sent is not an RPC message of the right kind; nothing was sent on its behalf. */
public final class MalformedRpcMessageException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    public MalformedRpcMessageException(int xid, String message) {
        super(xid, message);
    }
}
