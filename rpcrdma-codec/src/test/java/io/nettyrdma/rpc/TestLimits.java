// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.responder.ResponderLimits;
import io.nettyrdma.rpc.session.SessionSettings;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes limits that are the same for all programs, and what else only tests change; in the package of the
 * configuration, which hides it.
 */
public final class TestLimits {

    private TestLimits() {}

    /** Sets the longest time to negotiate the version and exchange properties. */
    public static RpcRdmaConfig.Builder negotiationTimeout(RpcRdmaConfig.Builder config, Duration timeout) {
        return config.fixed(it -> it.negotiationTimeout = timeout);
    }

    /** Sets how many arguments a requester sends as read chunks. */
    public static RpcRdmaConfig.Builder readChunksPerCall(RpcRdmaConfig.Builder config, int chunks) {
        return config.fixed(it -> it.readChunksPerCall = chunks);
    }

    /** Sets what a header may have that a responder of version 2 receives. */
    public static RpcRdmaConfig.Builder received(RpcRdmaConfig.Builder config, int chunks, int segments) {
        return config.fixed(it -> it.maxReadChunks = chunks)
                .fixed(it -> it.maxWriteChunks = chunks)
                .fixed(it -> it.maxSegmentsPerHeader = segments);
    }

    /** Sets the longest message that is sent in several Sends even if chunks are available, in bytes. */
    public static RpcRdmaConfig.Builder continuationBytes(RpcRdmaConfig.Builder config, int bytes) {
        return config.fixed(it -> it.continuationBytes = bytes);
    }

    /** Sets the log of what peers cause. */
    public static RpcRdmaConfig.Builder log(RpcRdmaConfig.Builder config, PeerLog log) {
        return config.log(log);
    }

    /** Makes a requester that exposes memory of this kind. */
    public static RpcRdmaRequesterHandler requester(
            RpcRdmaConfig config, Function<ChannelHandlerContext, @Nullable CallMemory> memory) {
        return new RpcRdmaRequesterHandler(config, memory);
    }

    /** Makes a client that exposes memory of this kind. */
    public static RpcRdmaClient.Builder memory(
            RpcRdmaClient.Builder client, Function<ChannelHandlerContext, @Nullable CallMemory> memory) {
        return client.memory(memory);
    }

    /** Makes a responder that takes the memory of what it pulls and pushes from this allocator. */
    public static RpcRdmaResponderHandler responder(RpcRdmaConfig config, ByteBufAllocator alloc) {
        return new RpcRdmaResponderHandler(config, alloc);
    }

    public static SessionSettings session(RpcRdmaConfig config) {
        return config.session();
    }

    public static ResponderLimits responder(RpcRdmaConfig config) {
        return config.responder();
    }

    public static RpcRdmaConfig.Builder receiveReserve(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.receiveReserve = count);
    }

    public static RpcRdmaConfig.Builder maxReadChunks(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.maxReadChunks = count);
    }

    public static RpcRdmaConfig.Builder maxWriteChunks(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.maxWriteChunks = count);
    }

    public static RpcRdmaConfig.Builder maxSegmentsPerChunk(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.maxSegmentsPerChunk = count);
    }

    public static RpcRdmaConfig.Builder maxSegmentsPerHeader(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.maxSegmentsPerHeader = count);
    }

    public static RpcRdmaConfig.Builder writeChunksPerCall(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.writeChunksPerCall = count);
    }

    public static RpcRdmaConfig.Builder maxPullingReads(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.maxPullingReads = count);
    }

    public static RpcRdmaConfig.Builder maxPushingWrites(RpcRdmaConfig.Builder config, int count) {
        return config.fixed(it -> it.maxPushingWrites = count);
    }

    public static RpcRdmaConfig.Builder maxWaitingBytes(RpcRdmaConfig.Builder config, long bytes) {
        return config.fixed(it -> it.maxWaitingBytes = bytes);
    }
}
