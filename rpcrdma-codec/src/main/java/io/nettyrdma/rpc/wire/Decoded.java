package io.nettyrdma.rpc.wire;

/** What became of a received message: a valid {@link RpcRdmaMessage}, or a {@link Rejection}. */
public sealed interface Decoded permits RpcRdmaMessage, Rejection {}
