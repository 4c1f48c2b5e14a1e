package io.nettyrdma.rpc.engine;

/** The responder answered {@code ERR_CHUNK}: it could not decode or convey this transaction (RFC 8166, section 4.5.2 and 4.5.3). A retry of the same call would fail again. */
public final class RemoteChunkException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    RemoteChunkException(int xid) {
        super(xid, "responder answered ERR_CHUNK");
    }
}
