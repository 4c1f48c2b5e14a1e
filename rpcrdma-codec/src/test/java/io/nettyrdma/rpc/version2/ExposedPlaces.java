// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Memory for chunks without a device: the test plays the peer, and reads and writes the places that are exposed. */
final class ExposedPlaces implements CallMemory {

    /** All that was ever exposed, in order. */
    final List<Place> places = new ArrayList<>();

    boolean refusesInvalidation;

    /** One registration. */
    final class Place implements Region {
        final ByteBuf buffer;
        final RdmaAccess access;
        boolean valid = true;
        boolean held = true;
        /** Bytes that the peer has written. */
        long written;

        private final PlainSegment segment;

        private Place(ByteBuf buffer, RdmaAccess access) {
            this.buffer = buffer;
            this.access = access;
            segment = new PlainSegment(100 + places.size(), buffer.readableBytes(), 0);
            written = segment.lengthBytes();
        }

        @Override
        public long writtenBytes() {
            return written;
        }

        @Override
        public PlainSegment segment() {
            return segment;
        }

        @Override
        public void invalidate() throws IOException {
            if (refusesInvalidation) {
                throw new IOException("key cannot be invalidated");
            }
            valid = false;
        }

        @Override
        public void release() {
            held = false;
            buffer.release();
        }
    }

    @Override
    public boolean canBeInvalidatedByPeer() {
        return false;
    }

    @Override
    public Region expose(ByteBuf buffer, RdmaAccess access) {
        Place place = new Place(buffer, access);
        places.add(place);
        return place;
    }

    /** Registrations that the peer can reach. */
    long valid() {
        return places.stream().filter(place -> place.valid).count();
    }

    /** Registrations that calls have. */
    long held() {
        return places.stream().filter(place -> place.held).count();
    }
}
