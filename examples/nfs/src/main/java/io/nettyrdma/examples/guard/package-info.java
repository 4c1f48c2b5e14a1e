/**
 * What the examples do so that a peer cannot harm more than its own connection: how much it makes them print, how it is
 * spelled, and how many connections there are.
 */
@NullMarked
package io.nettyrdma.examples.guard;

import org.jspecify.annotations.NullMarked;
