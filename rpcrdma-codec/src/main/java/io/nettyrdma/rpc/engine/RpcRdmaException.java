package io.nettyrdma.rpc.engine;

import java.io.IOException;

/** Why an RPC over RDMA did not complete, or was not accepted. Each reason is a subclass. */
public abstract class RpcRdmaException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int xid;

    RpcRdmaException(int xid, String message) {
        super("xid 0x" + Integer.toHexString(xid) + ": " + message);
        this.xid = xid;
    }

    /** The transaction; opaque. */
    public final int xid() {
        return xid;
    }
}
