/**
 * What the libraries of this project share and their users have no use for: not an API, may change with every release.
 * Knows nothing else of this project.
 */
@NullMarked
package io.nettyrdma.internal;

import org.jspecify.annotations.NullMarked;
