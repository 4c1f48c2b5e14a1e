/**
 * RPC-over-RDMA version 1 (RFC 8166) for Netty pipelines: one handler turns a message channel such as
 * {@link io.nettyrdma.channel.RdmaChannel} into a transport for ONC RPC messages (RFC 5531).
 *
 * <p>A server adds {@link io.nettyrdma.rpc.RpcRdmaResponderHandler}, receives each call as one {@code ByteBuf} in
 * {@code channelRead}, and writes each reply as one {@code ByteBuf}. A client adds {@link
 * io.nettyrdma.rpc.RpcRdmaRequesterHandler} and does the reverse, or gets futures from {@link
 * io.nettyrdma.rpc.RpcRdmaRequester}.
 *
 * <p>The channel must preserve message boundaries, one {@code ByteBuf} per message. By default Netty's in-memory {@code
 * LocalChannel} does not: it joins small buffers.
 *
 * <p>Over {@link io.nettyrdma.channel.RdmaChannel} messages that exceed the inline threshold travel in chunks; over
 * other channels they fail with a named exception at the requester. {@link io.nettyrdma.rpc.RpcRdmaClient} keeps calls
 * pending while it reconnects.
 *
 * <p>Version 2 of the protocol is off unless {@link io.nettyrdma.rpc.RpcRdmaConfig.Builder#versions} allows it.
 *
 * <p>A server can call its client, too (RFC 8167), with {@link io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler} above
 * the server's handler and {@link io.nettyrdma.rpc.RpcRdmaReverseResponderHandler} above the client's.
 */
@NullMarked
package io.nettyrdma.rpc;

import org.jspecify.annotations.NullMarked;
