package io.nettyrdma.rpc.engine;

/** A call was submitted with the XID of one that is still outstanding on the same connection. */
public final class DuplicateXidException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    DuplicateXidException(int xid) {
        super(xid, "another call with this XID is outstanding");
    }
}
