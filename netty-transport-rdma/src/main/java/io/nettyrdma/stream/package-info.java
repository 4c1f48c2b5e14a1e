// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The byte-stream protocol of rsockets ({@code rsocket(7)}, librdmacm 44), as it travels between two queue pairs:
 * {@link io.nettyrdma.stream.SetupData} is exchanged while the connection is made, {@link
 * io.nettyrdma.stream.StreamWord} is a message of 32 bits, a {@link io.nettyrdma.stream.TargetEntry} names a buffer
 * that the peer may write. A {@link io.nettyrdma.stream.SendWindow} knows how many bytes may be written where, a
 * {@link io.nettyrdma.stream.ReceiveWindow} what the peer may write and what it must be sent, a {@link
 * io.nettyrdma.stream.HalfCloseState} which directions are open.
 *
 * <p>The bytes of the stream go by RDMA Write into the buffers that the peer has published, in the order of their
 * publication; a word DATA behind them announces how many. Each side publishes a buffer by an RDMA Write of an entry
 * into the table of the other side, followed by a word LIMIT, which also says how many words may be sent.
 *
 * <p>The package does no I/O, registers no memory and reads no clock. It is no API: types are public only because the
 * channels are in another package.
 */
@NullMarked
package io.nettyrdma.stream;

import org.jspecify.annotations.NullMarked;
