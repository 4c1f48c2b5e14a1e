package io.nettyrdma.rpc.engine;

/** A message does not fit the inline threshold of its direction and there is no other way to convey it. */
public final class MessageTooLargeException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    public MessageTooLargeException(int xid, int bytes, int thresholdBytes) {
        super(xid, bytes + " octets with the header, inline threshold is " + thresholdBytes);
    }
}
