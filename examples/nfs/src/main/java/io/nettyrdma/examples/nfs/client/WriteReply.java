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
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.examples.nfs.protocol.Stability;
import io.nettyrdma.examples.nfs.protocol.WccData;

/**
 * What WRITE returned.
 *
 * @param countBytes how many octets were taken, from the first on
 * @param committed  what happened to them
 * @param verifier   changes when the server forgets what it has not committed, as it does when it restarts
 */
public record WriteReply(int countBytes, Stability committed, long verifier) {

    static WriteReply read(ByteBuf in, int maxBytes) {
        WccData.skip(in);
        int countBytes = in.readInt();
        if (countBytes < 0 || countBytes > maxBytes) {
            throw new CorruptedFrameException(
                    Integer.toUnsignedString(countBytes) + " of " + maxBytes + " bytes written");
        }
        int number = in.readInt();
        Stability committed = Stability.of(number);
        if (committed == null) {
            throw new CorruptedFrameException("stable_how " + number);
        }
        return new WriteReply(countBytes, committed, in.readLong());
    }
}
