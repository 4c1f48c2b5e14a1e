/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** The event of Flight Recorder that spans a responder's transfer of the chunks of one kind of a call. */
@Name("io.nettyrdma.rpc.ChunkTransfer")
@Label("RPC-over-RDMA Chunk Transfer")
@Category({"Netty RDMA", "RPC-over-RDMA"})
@Description("RDMA Reads or Writes by which a responder moved the chunks of one kind of one call")
@StackTrace(false)
@Threshold("10 ms")
final class ChunkTransferEvent extends Event {

    /** Only asked whether it is enabled. */
    static final ChunkTransferEvent PROBE = new ChunkTransferEvent();

    @Label("Channel")
    @Description("Short id of the Netty channel")
    @Nullable
    String channel;

    @Label("XID")
    long xid;

    @Label("Kind")
    @Description("READ, POSITION_ZERO, WRITE or REPLY")
    @Nullable
    String kind;

    @Label("Chunks")
    int chunks;

    @Label("Bytes")
    @DataAmount
    long bytes;
}
