/**
 * What requesters and responders do, without I/O and without a clock: decoded messages, finished sends and the time go
 * in, actions come out. A handler connects an engine to a channel; a test connects it to a table.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.engine;

import org.jspecify.annotations.NullMarked;
