// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the chunks that a reply returns with those its call offered: the same segments, with lengths that say how
 * much was written (RFC 8166, sections 3.4.6 and 4.3).
 *
 * <p>Threading: stateless.
 */
final class ReplyCheck {

    enum Verdict {
        /** The lengths can be relied on. */
        MATCHES,
        /** Memory was used that was not offered, which ends the call. */
        NOT_OFFERED,
        /** Not the chunks of this call, or more octets than they hold: a header error, so the reply is no reply. */
        DIFFERS
    }

    private ReplyCheck() {}

    static Verdict check(ChunkLists offered, ChunkLists returned) {
        Verdict writeList = checkWriteList(offered.writeList(), returned.writeList());
        return writeList == Verdict.MATCHES ? checkChunk(offered.replyChunk(), returned.replyChunk()) : writeList;
    }

    /** A responder that wrote nothing may leave out the list: nothing depends on it then. */
    private static Verdict checkWriteList(List<WriteChunk> offered, List<WriteChunk> returned) {
        for (int i = 0; i < returned.size(); i++) {
            Verdict verdict = checkChunk(i < offered.size() ? offered.get(i) : null, returned.get(i));
            if (verdict != Verdict.MATCHES) {
                return verdict;
            }
        }
        boolean complete = returned.isEmpty() || returned.size() >= offered.size(); // V1-107
        return complete ? Verdict.MATCHES : Verdict.DIFFERS;
    }

    private static Verdict checkChunk(@Nullable WriteChunk offered, @Nullable WriteChunk returned) {
        if (returned == null) {
            return Verdict.MATCHES; // A9: nothing was written to it
        }
        if (offered == null) {
            // Chunks that were not offered are harmless as long as they say that they are unused.
            return returned.lengthBytes() == 0 ? Verdict.MATCHES : Verdict.NOT_OFFERED; // V1-134
        }
        List<PlainSegment> before = offered.segments();
        List<PlainSegment> after = returned.segments();
        if (before.size() != after.size()) {
            return Verdict.DIFFERS;
        }
        for (int i = 0; i < before.size(); i++) {
            PlainSegment own = before.get(i);
            PlainSegment segment = after.get(i);
            if (segment.handle() != own.handle()
                    || segment.offset() != own.offset()
                    || segment.lengthBytes() > own.lengthBytes()) {
                return Verdict.DIFFERS; // V1-107
            }
        }
        return Verdict.MATCHES;
    }
}
