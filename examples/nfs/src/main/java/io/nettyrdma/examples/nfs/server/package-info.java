/**
 * An NFS version 3 server. From the bottom: {@link io.nettyrdma.rpc.RpcRdmaResponderHandler}, the program ({@link
 * io.nettyrdma.rpc.RpcProgramHandler}), the procedures, the exported directory with the table of its handles.
 */
@NullMarked
package io.nettyrdma.examples.nfs.server;

import org.jspecify.annotations.NullMarked;
