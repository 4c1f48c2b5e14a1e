// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.CountingMemory;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who invalidates what (RFC 8166, section 4.4.1; RFC 8797, section 4.1): the responder where it can, else the
 * requester.
 */
@Over
final class RemoteInvalidationTest {

    private static final RpcRdmaConfig CONFIG =
            RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build();

    private static final RpcRdmaConfig VERSION_2 = version2().build();

    private final ClockedProvider clock = new ClockedProvider(LoopsOver.config(SoftProviderConfig.builder()));

    private static RpcRdmaConfig.Builder version2() {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .bindings(TestProgram.BINDINGS)
                .versions(2, 2);
    }

    /** Calls with a read chunk and a write chunk; returns the memory of both. */
    private CountingMemory call(Consumer<Exchange> script) throws Exception {
        try (RdmaLoopback loopback =
                new RdmaLoopback(new CmPrivateData(true, 4096, 4096), () -> new ScriptedResponder(32, script))) {
            Channel channel = loopback.connect(CONFIG);
            TestProgram.check(RpcRdmaRequester.of(channel), TestProgram.call(7, List.of(9000), List.of(9000), 0));
            return loopback.memory;
        }
    }

    @Test
    @Requirement("PD-016")
    void whatTheResponderHasInvalidatedIsNotInvalidatedAgain() throws Exception {
        CountingMemory memory = call(it ->
                it.answerInvalidating(it.chunks.readList().get(0).segment().handle()));

        assertThat(memory.accesses).hasSize(2);
        assertThat(memory.invalidations).hasValue(1);
        memory.checkGivenBack();
    }

    @Test
    @Requirement({"V1-101", "V1-102"})
    void whatTheResponderHasNotInvalidatedIsInvalidatedHere() throws Exception {
        CountingMemory memory = call(Exchange::answer);

        assertThat(memory.accesses).hasSize(2);
        assertThat(memory.invalidations).hasValue(2);
        memory.checkGivenBack();
    }

    /** As on rxe, where the peer's invalidation of an ordinary region ends the connection. */
    @Test
    void deviceThatSendsInvalidationsButTakesNoneIsNotSaidToTakeThem() throws Exception {
        try (RdmaLoopback loopback = RdmaLoopback.serving(
                CONFIG,
                TestProgram::server,
                LoopsOver.newFactory(clock.provider(), Map.of("remoteInvalidation", false)))) {
            RdmaChannel channel = (RdmaChannel) loopback.connect(CONFIG);
            TestProgram.check(RpcRdmaRequester.of(channel), TestProgram.call(7, List.of(9000), List.of(9000), 0));

            RdmaChannel accepted = (RdmaChannel) loopback.accepted.remove();
            assertThat(CmPrivateData.findOrDefaults(accepted.peerPrivateData()).remoteInvalidation())
                    .isFalse();
            assertThat(CmPrivateData.findOrDefaults(channel.peerPrivateData()).remoteInvalidation())
                    .isTrue();
            assertThat(loopback.memory.invalidations).hasValue(2);
        }
    }

    /** Devices of a provider may differ, so that only the connection's own counts. */
    @Test
    void deviceThatTakesInvalidationsIsSaidToTakeThemAsSoonAsItIsKnown() throws Exception {
        try (RdmaLoopback loopback = RdmaLoopback.serving(
                CONFIG,
                TestProgram::server,
                LoopsOver.newFactoryBeforeDevices(clock.provider(), Map.of("remoteInvalidation", false)))) {
            RdmaChannel channel = (RdmaChannel) loopback.connect(CONFIG);
            TestProgram.check(RpcRdmaRequester.of(channel), TestProgram.call(7, List.of(9000), List.of(), 0));

            RdmaChannel accepted = (RdmaChannel) loopback.accepted.remove();
            assertThat(CmPrivateData.findOrDefaults(accepted.peerPrivateData()).remoteInvalidation())
                    .isTrue();
            assertThat(loopback.memory.invalidations).hasValue(0); // one handle: the reply does it
        }
    }

    /** It was nominated: the one with the most octets (C63). */
    @ParameterizedTest
    @CsvSource({"true, 1", "false, 2"})
    @Requirement({"V2-117", "V2-118", "V2-119", "V2-120", "V2-172"})
    void oneHandleOfACallIsInvalidatedByItsReplyInVersion2(boolean understood, int left) throws Exception {
        try (RdmaLoopback loopback = RdmaLoopback.serving(
                VERSION_2,
                TestProgram::server,
                LoopsOver.newFactory(clock.provider(), Map.of("remoteInvalidation", understood)))) {
            Channel channel = loopback.connect(VERSION_2);
            TestProgram.check(RpcRdmaRequester.of(channel), TestProgram.call(7, List.of(30_000), List.of(90_000), 0));

            assertThat(loopback.memory.accesses).hasSize(2);
            assertThat(loopback.memory.invalidations).hasValue(left);
            loopback.memory.checkGivenBack();
            TestProgram.check(RpcRdmaRequester.of(channel), TestProgram.call(8, List.of(), List.of(), 0));
        }
    }

    /** A device that takes no invalidations names no handle, so that the reply leaves its only one alone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"V2-119", "V2-120"})
    void parametersOfVersion2TellWhetherRepliesMayInvalidate(boolean understood) throws Exception {
        try (RdmaLoopback loopback = RdmaLoopback.serving(
                VERSION_2,
                TestProgram::server,
                LoopsOver.newFactory(clock.provider(), Map.of("remoteInvalidation", understood)))) {
            BlockingQueue<Boolean> told = new LinkedBlockingQueue<>();
            RpcRdmaListener listener = new RpcRdmaListener() {
                @Override
                public void onConnectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {
                    told.add(parameters.remoteInvalidation());
                }
            };
            Channel channel = loopback.connect(version2().listener(listener).build());

            TestProgram.check(RpcRdmaRequester.of(channel), TestProgram.call(7, List.of(30_000), List.of(), 0));

            assertThat(told).containsExactly(understood);
            assertThat(loopback.memory.accesses).hasSize(1);
            assertThat(loopback.memory.invalidations).as("by the requester").hasValue(understood ? 0 : 1);
        }
    }
}
