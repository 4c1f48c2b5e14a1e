/**
 * The model of RPC-over-RDMA on the wire: transport headers (RFC 8166), and the private data of the connection manager
 * (RFC 8797). Nothing here knows who sends the octets or when.
 *
 * <p>A received message becomes either a {@link io.nettyrdma.rpc.wire.RpcRdmaMessage} or a
 * {@link io.nettyrdma.rpc.wire.Rejection} that names the answer the protocol asks for.
 */
@NullMarked
package io.nettyrdma.rpc.wire;

import org.jspecify.annotations.NullMarked;
