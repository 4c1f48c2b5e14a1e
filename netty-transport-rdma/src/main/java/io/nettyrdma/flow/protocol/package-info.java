// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Flow control for messages: how two sides agree on it and keep each other from sending more than they have receives
 * for.
 *
 * <p><b>Agreement.</b> Each side begins its private data with a {@link io.nettyrdma.flow.protocol.FlowOffer}: how many
 * messages it takes before it raises the limit, how long one may be on the wire, and how long a message of several
 * pieces may be. What follows the offer is the application's.
 *
 * <p><b>Messages.</b> Each message ends with a {@linkplain io.nettyrdma.flow.protocol.FlowTrailer trailer} of 8
 * octets, behind the data so that a sender can append it in place. It carries the limit: how many messages with data
 * its sender takes in all, from the first one of the connection on. A message that is longer than the peer's receives
 * goes in pieces, each a message with data; all but the last are marked.
 *
 * <p><b>Limits.</b> A side raises its limit by the messages that its application has consumed, with whatever it sends.
 * If it has nothing to send, it sends a message without data once half of the window is consumed, or as soon as a
 * message is consumed whose sender has asked for a report.
 *
 * <p><b>Messages without data</b> are not counted by the limit: a side whose own messages wait must still be able to
 * raise the limit, or two sides that both wait would wait for ever. {@value
 * io.nettyrdma.flow.protocol.FlowExchange#RESERVED_RECEIVES} receives are reserved for them. A side has at most two of
 * them on their way; each message counts those of the peer that have arrived. The second one asks for an answer: any
 * message, or else one without data, which needs no answer itself. A side asks again only when it has the answer, so
 * one receive is enough for answers.
 *
 * <p><b>The end.</b> A side that ends the connection before it has sent all that its application has flushed says so in
 * its last message, one without data that is not counted. An older peer ends the connection because of its flag.
 *
 * <p>The package does no I/O and reads no clock. It is no API: types are public only because the handler is in another
 * package.
 */
@NullMarked
package io.nettyrdma.flow.protocol;

import org.jspecify.annotations.NullMarked;
