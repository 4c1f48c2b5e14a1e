// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A Java agent that makes the TCP sockets of Netty programs RDMA, without a change to them. {@code RdmaAgent} starts
 * it, {@code NettyClasses} edits classes that make channels and event loops to call {@code Hooks}, and {@code
 * AddressRules} says which addresses stay TCP.
 *
 * <p>Nothing in this package knows Netty. A program may have it in a class loader that the agent's own does not see,
 * and more than once; for each, {@code NettyLoader} loads the transport and the package {@code
 * io.nettyrdma.agent.netty} again.
 */
@NullMarked
package io.nettyrdma.agent;

import org.jspecify.annotations.NullMarked;
