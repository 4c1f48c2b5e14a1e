// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
