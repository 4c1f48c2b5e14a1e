/**
 * The protocol core of the software provider: DDP and RDMAP (RFC 5041, RFC 5040) over work queues and registered
 * memory. Work requests and octets of the peer come in, octets for the peer and completions come out. It knows no
 * socket, no clock and none of DiSNI's types, so it can be tested by itself; only the numbers are those of verbs.
 *
 * <p>A {@link io.nettyrdma.verbs.soft.rdmap.WorkQueues} holds what is posted, a
 * {@link io.nettyrdma.verbs.soft.rdmap.RdmapTransmitter} turns it into FPDUs, a
 * {@link io.nettyrdma.verbs.soft.rdmap.RdmapReceiver} checks the peer's and places their payload in the memory of a
 * {@link io.nettyrdma.verbs.soft.rdmap.RegionTable}. No API: what is public is so for the provider around it.
 */
@NullMarked
package io.nettyrdma.verbs.soft.rdmap;

import org.jspecify.annotations.NullMarked;
