/**
 * The wire formats and protocol decisions of iWARP over TCP: MPA start-up frames and FPDUs (RFC 5044, RFC 6581), DDP
 * segments (RFC 5041), RDMAP opcodes and Terminate messages (RFC 5040). Nothing here does I/O, reads a clock or knows
 * verbs; the types are public only because the provider next door is another package, and are no API.
 */
@NullMarked
package io.nettyrdma.verbs.soft.iwarp;

import org.jspecify.annotations.NullMarked;
