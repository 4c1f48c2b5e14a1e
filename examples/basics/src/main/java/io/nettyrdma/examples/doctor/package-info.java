// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A doctor: lists what a machine has for RDMA and what each provider needs, and proves each device, the software
 * provider and TCP by connections of this machine to itself.
 */
@NullMarked
package io.nettyrdma.examples.doctor;

import org.jspecify.annotations.NullMarked;
