/**
 * Values of RPC-over-RDMA messages that programs set or read: the private data of the connection manager (RFC 8797) and
 * the inline thresholds that follow from it, the reverse level and the error codes of version 2, and the direction of a
 * message.
 */
@NullMarked
package io.nettyrdma.rpc.wire;

import org.jspecify.annotations.NullMarked;
