/**
 * The software verbs provider: queue pairs, completion queues and registered memory in Java, with iWARP over ordinary
 * TCP sockets underneath ({@link io.nettyrdma.verbs.soft.SoftProvider}). It needs no device, no native code and no
 * privileges, and talks to the Linux driver {@code siw}.
 *
 * <p>An event channel owns one selector and everything that hangs on it; it makes progress only inside calls. Objects
 * that hang on an event channel are confined to the thread that drives it. Only the region table and registered memory
 * are shared between threads.
 *
 * <p>From top to bottom: DiSNI's objects (named Soft and what DiSNI calls them), identifiers with their listeners and
 * connections, the start-up of a connection in its two roles, the running stream, socket and event channel. The
 * protocol that the stream speaks is the package {@link io.nettyrdma.verbs.soft.rdmap}, its formats are
 * {@link io.nettyrdma.verbs.soft.iwarp}; both are free of sockets and of DiSNI. Arrows upwards are interfaces:
 * {@link io.nettyrdma.verbs.soft.StreamHost} for a stream, {@link io.nettyrdma.verbs.soft.SelectorHandler} for the
 * event channel.
 *
 * <p>What is needed for peers on Linux's siw alone is in {@link io.nettyrdma.verbs.soft.SiwAnnouncements}, which
 * can go with that kernel.
 */
@NullMarked
package io.nettyrdma.verbs.soft;

import org.jspecify.annotations.NullMarked;
