/**
 * An NFS version 3 server on an existing RPC stack: Hadoop's, which knows nothing of RDMA. From the bottom: the
 * transport ({@link io.nettyrdma.rpc.RpcRdmaResponderHandler}, or {@link
 * io.nettyrdma.examples.nfs.protocol.RecordMarkCodec} over TCP), Hadoop's parser and its {@code RpcProgram}, the
 * procedures, the exported directory with the table of its handles.
 *
 * <p>Of Hadoop's codecs for NFS itself (3.4.2) only a few numbers are used. The requests allocate what the caller names
 * as a length before they look what is there, read names as UTF-8 and so lose other names, and leave out the rights
 * that ACCESS asks for. The results announce attributes that they do not have ({@code WccData}, the failures of FSINFO,
 * FSSTAT and PATHCONF), which a client takes for the file's, cut times to milliseconds ({@code NfsTime(long)} overflows
 * as well), give every file the time of its data as the time of its attributes, write LINK's result with a word too
 * many, and copy the data of READ.
 */
@NullMarked
package io.nettyrdma.examples.nfs.server;

import org.jspecify.annotations.NullMarked;
