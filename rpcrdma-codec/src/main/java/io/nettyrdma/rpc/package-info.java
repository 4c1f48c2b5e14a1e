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
 *
 * <p><b>Copies</b> of a payload in a chunk between the application's buffers and the sockets, over the software
 * provider; hardware makes none of them:
 *
 * <ul>
 *   <li>READ at a responder, {@link io.nettyrdma.rpc.message.RpcRdmaReply} with the data as one direct component: one,
 *       into the FPDU, in the transmit staging buffer, where the CRC is computed.
 *   <li>READ at a requester, {@link io.nettyrdma.rpc.message.RpcRdmaCall#replyInto} a direct buffer: one, from the
 *       receive staging buffer into that buffer; the reply refers to it.
 *   <li>WRITE at a requester, the data as one direct component of the call: one, into the FPDUs of the Read Response.
 *   <li>WRITE at a responder: one, from the receive staging buffer into the chunk's registered buffer, which the
 *       received call refers to.
 * </ul>
 *
 * <p>A read may end inside an FPDU. That part, at most 61,440 bytes, is copied aside and copied back at the next read.
 * Data in heap buffers, or scattered over several components of a call or more than 16 of a reply, is copied once more.
 * A {@code ByteBuf} written without {@code RpcRdmaReply}, and a call without {@code replyInto}, cost no extra copy: the
 * binding finds the data, and the reply refers to memory allocated for it.
 */
@NullMarked
package io.nettyrdma.rpc;

import org.jspecify.annotations.NullMarked;
