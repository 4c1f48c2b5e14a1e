// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RpcRdmaConfigTest {

    @Test
    void defaultsAreTheDocumentedOnes() {
        assertThat(RpcRdmaConfig.defaults())
                .hasToString("RpcRdmaConfig[inlineSendBytes=4096, inlineReceiveBytes=4096, privateData=true,"
                        + " creditsGranted=64, creditsRequested=128, reverseCredits=0, versions=1 to 1,"
                        + " version2=[hostAuthentication=null, maxContinuedBytes=1048576, reverseLevel=CONT],"
                        + " callTimeout=PT1M, peerTimeout=PT1M, maxCallsWaiting=1024, maxCallBytes=4194304,"
                        + " maxPullingBytes=16777216, maxPushingBytes=16777216, maxChunkBytesPerCall=16777216,"
                        + " bindings=" + UpperLayerBindings.nfs() + ", listeners=[]]");
    }

    /** Documents and other limits' costs name them. */
    @Test
    void limitsThatProgramsDoNotChooseAreTheDocumentedOnes() {
        FixedLimits limits = new FixedLimits();
        assertThat(limits.receiveReserve).isEqualTo(8);
        assertThat(limits.maxReadChunks).isEqualTo(16);
        assertThat(limits.maxWriteChunks).isEqualTo(16);
        assertThat(limits.maxSegmentsPerChunk).isEqualTo(64);
        assertThat(limits.maxSegmentsPerHeader).isEqualTo(64);
        assertThat(limits.maxPullingReads).isEqualTo(256);
        assertThat(limits.maxPushingWrites).isEqualTo(256);
        assertThat(limits.negotiationTimeout).hasSeconds(5);
        assertThat(limits.maxWaitingBytes).isEqualTo(PlatformDependent.maxDirectMemory() / 4);
    }

    static Stream<Consumer<RpcRdmaConfig.Builder>> invalid() {
        return Stream.of(
                it -> it.inlineSendBytes(1023),
                it -> it.inlineSendBytes(262145),
                it -> it.inlineReceiveBytes(1023),
                it -> it.inlineReceiveBytes(262145),
                it -> it.creditsGranted(0),
                it -> it.creditsRequested(0),
                it -> it.reverseCredits(-1),
                it -> it.reverseCredits(16385),
                it -> it.callTimeout(Duration.ofSeconds(Long.MAX_VALUE)),
                it -> it.maxCallsWaiting(-1),
                it -> it.maxCallBytes(63),
                it -> it.maxPullingBytes(0),
                it -> it.maxPushingBytes(0),
                it -> it.maxPushingBytes((1L << 40) + 1),
                it -> it.peerTimeout(Duration.ZERO));
    }

    @Test
    void readChunkMayBeAsLongAsACall() {
        RpcRdmaConfig config = RpcRdmaConfig.builder().maxCallBytes(9 << 20).build();
        assertThat(config.session().decodeLimits()).isEqualTo(new DecodeLimits(16, 16, 64, 9 << 20));
    }

    @Test
    void settingsThatContradictEachOtherAreRefusedTogether() {
        assertRefused(RpcRdmaConfig.builder().creditsGranted(16_292), "creditsGranted 16292");
        assertRefused(RpcRdmaConfig.builder().creditsRequested(16_292), "creditsRequested 16292");
    }

    private static void assertRefused(RpcRdmaConfig.Builder builder, String credits) {
        assertThatThrownBy(builder.reverseCredits(85)::build)
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .contains(credits, "8 others", "reverseCredits 85", "16384", "16385");
    }

    @Test
    void settingsAtTheirCommonBoundAreTaken() {
        RpcRdmaConfig.builder()
                .creditsGranted(16_292)
                .creditsRequested(16_292)
                .reverseCredits(84)
                .build();
    }

    @ParameterizedTest
    @MethodSource("invalid")
    @Requirement({"V1-013", "V1-026"})
    void valuesOutOfRangeAreRefused(Consumer<RpcRdmaConfig.Builder> setting) {
        assertThatThrownBy(() -> setting.accept(RpcRdmaConfig.builder())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Requirement({"PD-001", "PD-013", "V1-017", "V1-025"})
    void responderSetsTheOptionsOfItsChannel() {
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .inlineReceiveBytes(8192)
                .inlineSendBytes(5000)
                .creditsGranted(10)
                .fixed(f -> f.receiveReserve = 3)
                .build();

        assertThat(optionsSetBy(new RpcRdmaResponderHandler(config)))
                .containsEntry(RdmaChannelOption.RDMA_RECEIVE_SIZE, 8192)
                .containsEntry(RdmaChannelOption.RDMA_RECEIVE_COUNT, 13)
                .containsEntry(RdmaChannelOption.RDMA_MAX_SEND_SIZE, 5000)
                .hasEntrySatisfying(RdmaChannelOption.RDMA_PRIVATE_DATA, octets -> assertThat((byte[]) octets)
                        .isEqualTo(new CmPrivateData(false, 4096, 8192).encode()));
    }

    @Test
    @Requirement({"PD-001", "PD-013", "V1-018"})
    void requesterPostsAReceiveForEveryCallItAsksFor() {
        assertThat(optionsSetBy(new RpcRdmaRequesterHandler()))
                .containsEntry(RdmaChannelOption.RDMA_RECEIVE_SIZE, 4096)
                .containsEntry(RdmaChannelOption.RDMA_RECEIVE_COUNT, 136)
                .hasEntrySatisfying(RdmaChannelOption.RDMA_PRIVATE_DATA, octets -> assertThat((byte[]) octets)
                        .isEqualTo(new CmPrivateData(false, 4096, 4096).encode()));
    }

    @Test
    @Requirement("PD-001")
    void withoutPrivateDataASideKeepsToWhatItsPeerHasToAssume() {
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .inlineReceiveBytes(8192)
                .withoutPrivateData()
                .build();

        assertThat(config.session().privateData(true)).isEqualTo(CmPrivateData.DEFAULTS);
        for (ChannelHandler handler :
                List.of(new RpcRdmaResponderHandler(config), new RpcRdmaRequesterHandler(config))) {
            assertThat(optionsSetBy(handler))
                    .containsEntry(RdmaChannelOption.RDMA_RECEIVE_SIZE, 1024)
                    .containsEntry(RdmaChannelOption.RDMA_MAX_SEND_SIZE, 1024)
                    .hasEntrySatisfying(RdmaChannelOption.RDMA_PRIVATE_DATA, octets -> assertThat((byte[]) octets)
                            .isEmpty());
        }
    }

    @Test
    void sizesSetLaterAreAnnounced() {
        assertThat(RpcRdmaConfig.builder()
                        .withoutPrivateData()
                        .inlineSendBytes(2048)
                        .build()
                        .session()
                        .privateData(false))
                .isEqualTo(new CmPrivateData(false, 2048, 1024));
        assertThat(RpcRdmaConfig.builder()
                        .withoutPrivateData()
                        .inlineReceiveBytes(2048)
                        .build()
                        .session()
                        .privateData(true))
                .isEqualTo(new CmPrivateData(true, 1024, 2048));
    }

    @Test
    void bothSidesPostReceivesForTheReverseDirection() {
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .creditsGranted(10)
                .creditsRequested(20)
                .fixed(f -> f.receiveReserve = 3)
                .reverseCredits(5)
                .build();

        assertThat(optionsSetBy(new RpcRdmaResponderHandler(config)))
                .containsEntry(RdmaChannelOption.RDMA_RECEIVE_COUNT, 18);
        assertThat(optionsSetBy(new RpcRdmaRequesterHandler(config)))
                .containsEntry(RdmaChannelOption.RDMA_RECEIVE_COUNT, 28);
    }

    /** Stands in for a channel that knows the options. */
    private static Map<ChannelOption<?>, Object> optionsSetBy(ChannelHandler handler) {
        Map<ChannelOption<?>, Object> options = new HashMap<>();
        EmbeddedChannel channel = new EmbeddedChannel() {
            @Override
            public ChannelConfig config() {
                return new DefaultChannelConfig(this) {
                    @Override
                    public <T> boolean setOption(ChannelOption<T> option, T value) {
                        options.put(option, value);
                        return true;
                    }
                };
            }
        };
        channel.pipeline().addLast(handler);
        channel.close();
        return options;
    }
}
