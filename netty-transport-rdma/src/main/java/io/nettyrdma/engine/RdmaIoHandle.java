// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.IoHandle;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.error.RdmaDeviceException;

/**
 * A channel as {@link RdmaIoHandler} sees it. It gets {@link RdmaCmIoEvent}s; completions go to its queue pair.
 */
interface RdmaIoHandle extends IoHandle {

    /** Whether completions are still owed to this handle, so that its registration has to stay. */
    boolean hasOutstanding();

    /** Adds what the channel is doing to a sample of its loop. */
    void addTo(LoopSample sample);

    /** Whether what is owed to this handle comes from {@code device}. */
    boolean isOn(LoopDevice device);

    /** Closes the channel because of {@code cause}: nothing more comes from its device or its loop. */
    void fail(RdmaDeviceException cause);

    /** Ends the channel because of what the handling of its own completions or events has thrown. */
    void onFailure(Throwable cause);

    /** Closes the channel because its loop ends. What an established connection has posted may still be sent. */
    @Override
    void close();

    /** Gives up the posted requests of the closed channel. */
    void flush();
}
