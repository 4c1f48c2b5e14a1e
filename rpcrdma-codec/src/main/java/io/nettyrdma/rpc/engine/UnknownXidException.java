package io.nettyrdma.rpc.engine;

/** A reply was written for an XID that no call in progress has: it was already answered, refused, or never received. Nothing was sent. */
public final class UnknownXidException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    public UnknownXidException(int xid) {
        super(xid, "no call in progress");
    }
}
