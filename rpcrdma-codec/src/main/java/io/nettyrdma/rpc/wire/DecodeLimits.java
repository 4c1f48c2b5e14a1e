package io.nettyrdma.rpc.wire;

/**
 * What a receiver is willing to take from one header. RFC 8166 sets no limits but lets a receiver set its own
 * (section 3.4.4); a message beyond them is answered like a malformed one.
 *
 * @param maxReadChunks       distinct positions in the read list
 * @param maxWriteChunks      chunks in the write list
 * @param maxSegmentsPerChunk segments in any one chunk
 * @param maxReadChunkBytes   octets of one read chunk, since the receiver has to provide that memory; the capacity a
 *                            requester offers in a write chunk costs the receiver nothing and is not limited
 */
public record DecodeLimits(int maxReadChunks, int maxWriteChunks, int maxSegmentsPerChunk, long maxReadChunkBytes) {

    /** Nothing but the length of the message limits what it may contain. */
    public static final DecodeLimits NONE =
            new DecodeLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
}
