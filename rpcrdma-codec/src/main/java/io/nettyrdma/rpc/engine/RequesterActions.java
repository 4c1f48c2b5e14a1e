package io.nettyrdma.rpc.engine;

import io.netty.buffer.ByteBuf;

/**
 * What a {@link RequesterEngine} wants done. For each call that was submitted and not withdrawn exactly one of
 * {@link #completed} and {@link #failed} is invoked. Implementations may submit calls from within.
 */
public interface RequesterActions<C extends RequesterCall> {

    /**
     * Send this call now. If it turns out that it cannot be sent, the implementation says so with
     * {@link RequesterEngine#sendFailed} or {@link RequesterEngine#withdraw}, at once or later.
     *
     * @param creditsRequested for the header
     */
    void send(C call, int creditsRequested);

    /**
     * The call was answered.
     *
     * @param reply the RPC reply, owned by the receiver from now on
     */
    void completed(C call, ByteBuf reply);

    /** The call has failed, whether it had been sent or not. */
    void failed(C call, Exception cause);

    /** Close the connection; {@link RequesterEngine#connectionLost} is to follow. */
    void close(String reason);
}
