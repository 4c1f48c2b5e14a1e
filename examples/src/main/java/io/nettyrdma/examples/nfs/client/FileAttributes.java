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
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What GETATTR tells (RFC 1813, section 2.3.5).
 *
 * @param type      {@link #REGULAR}, {@link #DIRECTORY}, {@link #SYMBOLIC_LINK} or one of the others of {@code ftype3}
 * @param mode      permission bits
 * @param links     names of the file
 * @param uid       owner
 * @param gid       group
 * @param sizeBytes length of the file
 * @param usedBytes what it takes on disk
 * @param fileId    number of the file in its file system
 * @param accessed  when it was last read
 * @param modified  when its data last changed
 * @param changed   when its attributes last changed
 */
public record FileAttributes(
        int type,
        int mode,
        int links,
        int uid,
        int gid,
        long sizeBytes,
        long usedBytes,
        long fileId,
        Instant accessed,
        Instant modified,
        Instant changed) {

    /** {@code NF3REG}. */
    public static final int REGULAR = 1;
    /** {@code NF3DIR}. */
    public static final int DIRECTORY = 2;
    /** {@code NF3LNK}. */
    public static final int SYMBOLIC_LINK = 5;

    static FileAttributes read(ByteBuf in) {
        int type = in.readInt();
        int mode = in.readInt();
        int links = in.readInt();
        int uid = in.readInt();
        int gid = in.readInt();
        long sizeBytes = in.readLong();
        long usedBytes = in.readLong();
        in.skipBytes(8 + 8); // device numbers, file system
        long fileId = in.readLong();
        return new FileAttributes(
                type, mode, links, uid, gid, sizeBytes, usedBytes, fileId, readTime(in), readTime(in), readTime(in));
    }

    /** {@code post_op_attr}: a server may leave attributes out. */
    static @Nullable FileAttributes readOptional(ByteBuf in) {
        return Xdr.readBoolean(in) ? read(in) : null;
    }

    /** {@code wcc_data}: what a directory or file was like before and after a change; of no use here. */
    static void skipBeforeAndAfter(ByteBuf in) {
        if (Xdr.readBoolean(in)) {
            in.skipBytes(8 + 8 + 8); // size, mtime, ctime
        }
        readOptional(in);
    }

    private static Instant readTime(ByteBuf in) {
        return Instant.ofEpochSecond(in.readUnsignedInt(), in.readUnsignedInt());
    }
}
