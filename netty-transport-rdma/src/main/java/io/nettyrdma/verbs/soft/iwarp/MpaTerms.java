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
