package io.nettyrdma.rpc.engine;

import org.jspecify.annotations.Nullable;

/**
 * The connection went away before the transaction was complete. Recoverable: the call may be sent again, with the same
 * XID, on another connection (RFC 8166, section 4.5.5).
 */
public final class ConnectionLostException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * @param cause what ended the connection, if known
     */
    public ConnectionLostException(int xid, @Nullable Throwable cause) {
        super(xid, "connection lost");
        if (cause != null) {
            initCause(cause);
        }
    }
}
