package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;

/** The responder answered {@code ERR_VERS}: it does not speak this version (RFC 8166, section 4.5.1). */
public final class RemoteVersionException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final long lowVersion;
    private final long highVersion;

    RemoteVersionException(int xid, VersionRange supported) {
        super(xid, "responder supports versions " + supported.low() + " to " + supported.high());
        lowVersion = supported.low();
        highVersion = supported.high();
    }

    /** Lowest version the responder supports. */
    public long lowVersion() {
        return lowVersion;
    }

    /** Highest version the responder supports. */
    public long highVersion() {
        return highVersion;
    }
}
