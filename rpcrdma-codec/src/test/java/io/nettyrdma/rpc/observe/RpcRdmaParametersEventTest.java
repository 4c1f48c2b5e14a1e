// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RpcRdmaParametersEventTest {

    private static final List<UnaryOperator<RpcRdmaParametersEvent.Builder>> SETTERS = List.of(
            event -> event.thresholds(new InlineThresholds(2048, 4096)),
            event -> event.remoteInvalidation(true),
            event -> event.peer(new CmPrivateData(true, 1024, 2048)),
            event -> event.reverseLevel(ReverseLevel.SIMPLE));

    @Test
    void defaultsAreThoseOfAPeerThatSaysNothing() {
        RpcRdmaParametersEvent event = RpcRdmaParametersEvent.builder(1).build();
        assertThat(event.version()).isEqualTo(1);
        assertThat(event.thresholds()).isEqualTo(InlineThresholds.DEFAULTS);
        assertThat(event.remoteInvalidation()).isFalse();
        assertThat(event.peer()).isEqualTo(CmPrivateData.DEFAULTS);
        assertThat(event.reverseLevel()).isNull();
    }

    @Test
    void eventsAreEqualIfAllParametersAre() {
        RpcRdmaParametersEvent all = build(SETTERS);
        assertThat(all)
                .isEqualTo(build(SETTERS))
                .hasSameHashCodeAs(build(SETTERS))
                .hasToString(build(SETTERS) + "");
        assertThat(RpcRdmaParametersEvent.builder(1).build())
                .isNotEqualTo(RpcRdmaParametersEvent.builder(2).build());
        for (int i = 0; i < SETTERS.size(); i++) {
            RpcRdmaParametersEvent one = build(SETTERS.subList(i, i + 1));
            RpcRdmaParametersEvent none = build(List.of());
            assertThat(one).isNotEqualTo(none);
            assertThat(one.toString()).isNotEqualTo(none.toString());
        }
    }

    private static RpcRdmaParametersEvent build(List<UnaryOperator<RpcRdmaParametersEvent.Builder>> setters) {
        RpcRdmaParametersEvent.Builder builder = RpcRdmaParametersEvent.builder(2);
        setters.forEach(setter -> setter.apply(builder));
        return builder.build();
    }
}
