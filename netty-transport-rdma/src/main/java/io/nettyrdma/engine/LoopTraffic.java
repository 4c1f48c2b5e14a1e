// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * Counts what the connections of one event loop on one device move.
 *
 * <p>Threading: the loop's.
 */
public final class LoopTraffic {

    private long opened;
    private long sends;
    private long sentBytes;
    private long receives;
    private long receivedBytes;
    private long readBytes;
    private long exhausted;
    private long copied;

    LoopTraffic() {}

    /** A queue pair was made. */
    void onOpened() {
        opened++;
    }

    /** A Send or an RDMA Write of so many bytes is about to be posted. */
    void onSend(int bytes) {
        sends++;
        sentBytes += bytes;
    }

    /** An RDMA Read of so many bytes is about to be posted. */
    void onRead(int bytes) {
        readBytes += bytes;
    }

    /** A message of so many bytes was received. */
    void onReceived(int bytes) {
        receives++;
        receivedBytes += bytes;
    }

    /** The peer has announced bytes that it has written. */
    public void onWritten(int bytes) {
        receivedBytes += bytes;
    }

    /** The last posted receive was used, so that the next message may wait or be lost. */
    public void onExhausted() {
        exhausted++;
    }

    /** A message was copied, because the pipeline holds too many of the receive buffers. */
    public void onCopied() {
        copied++;
    }

    void addTo(LoopSample sample) {
        sample.add(LoopMeter.OPENED, opened);
        sample.add(LoopMeter.SENDS, sends);
        sample.add(LoopMeter.SENT_BYTES, sentBytes);
        sample.add(LoopMeter.RECEIVES, receives);
        sample.add(LoopMeter.RECEIVED_BYTES, receivedBytes);
        sample.add(LoopMeter.READ_BYTES, readBytes);
        sample.add(LoopMeter.EXHAUSTED, exhausted);
        sample.add(LoopMeter.COPIED, copied);
    }
}
