/**
 * The model of RPC-over-RDMA on the wire: transport headers (RFC 8166), and the private data of the connection manager
 * (RFC 8797). Nothing here knows who sends the octets or when.
 *
 * <p>{@link io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder} turns one received message into either a
 * {@link io.nettyrdma.rpc.wire.RpcRdmaMessage} or a {@link io.nettyrdma.rpc.wire.Rejection} that names the answer the
 * protocol asks for; {@link io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder} is its inverse.
 */
@NullMarked
package io.nettyrdma.rpc.wire;

import org.jspecify.annotations.NullMarked;
