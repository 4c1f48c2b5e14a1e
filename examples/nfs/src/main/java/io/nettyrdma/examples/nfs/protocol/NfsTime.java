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
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import java.time.Instant;

/** Times on the wire: {@code nfstime3}, seconds since 1970 and nanoseconds, both unsigned (RFC 1813, section 2.6). */
public final class NfsTime {

    private NfsTime() {}

    /** Reads a time. */
    public static Instant read(ByteBuf in) {
        return Instant.ofEpochSecond(in.readUnsignedInt(), in.readUnsignedInt());
    }

    /** Writes a time; of the seconds as many bits as there is room for. */
    public static void write(ByteBuf out, Instant time) {
        out.writeInt((int) time.getEpochSecond()).writeInt(time.getNano());
    }
}
