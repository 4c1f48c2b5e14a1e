// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

/**
 * What an MPA start-up agreed on, from the view of one side.
 *
 * @param crc      whether FPDUs of both directions carry a CRC that is checked
 * @param ird      inbound RDMA Reads this side has to hold
 * @param ord      outbound RDMA Reads this side may have outstanding
 * @param enhanced whether the peer spoke RFC 6581, so that the depths were negotiated
 */
public record MpaTerms(boolean crc, int ird, int ord, boolean enhanced) {}
