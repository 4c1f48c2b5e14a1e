package io.nettyrdma.rpc.engine;

/** A reply refers to memory this call never offered (RFC 8166, section 6.1): a permanent error. */
public final class UnexpectedChunksException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    UnexpectedChunksException(int xid) {
        super(xid, "reply uses chunks the call did not offer");
    }
}
