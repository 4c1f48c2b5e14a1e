// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: {@link io.nettyrdma.examples.cli.Examples} with a subcommand for each example, its options, and
 * what it prints. Nobody else knows these classes.
 */
@NullMarked
package io.nettyrdma.examples.cli;

import org.jspecify.annotations.NullMarked;
