// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.kit.TestHandshake;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each setting is printed and carried over to the next configuration. */
class RpcRdmaConfigSettingsTest {

    private static final Map<Class<?>, Object> OTHER_VALUES = Map.of(
            int.class,
            4099,
            long.class,
            4099L,
            Duration.class,
            Duration.ofMillis(1234),
            UpperLayerBindings.class,
            UpperLayerBindings.none(),
            ReverseLevel.class,
            ReverseLevel.GENL,
            HostAuthentication.class,
            TestHandshake.of(1, 8));

    static Stream<Method> settings() {
        return Arrays.stream(RpcRdmaConfig.Builder.class.getMethods())
                .filter(it -> it.getReturnType() == RpcRdmaConfig.Builder.class)
                .filter(it -> !Set.of("versions", "version2", "withoutPrivateData", "listener")
                        .contains(it.getName()));
    }

    static Stream<Method> settingsOfVersion2() {
        return Arrays.stream(RpcRdmaVersion2Settings.class.getMethods())
                .filter(it -> it.getReturnType() == RpcRdmaVersion2Settings.class);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void settingIsPrintedAndCarriedOver(Method setting) throws Exception {
        RpcRdmaConfig.Builder builder = RpcRdmaConfig.builder();
        Object value = otherValue(setting);
        setting.invoke(builder, value);

        assertPrintedAndCarriedOver(builder.build(), setting.getName() + "=" + value);
    }

    private static void assertPrintedAndCarriedOver(RpcRdmaConfig config, String setting) {
        for (RpcRdmaConfig each : List.of(config, config.toBuilder().build())) {
            assertThat(each).asString().contains(setting);
        }
    }

    @ParameterizedTest
    @MethodSource("settingsOfVersion2")
    void settingOfVersion2IsPrintedAndCarriedOver(Method setting) throws Exception {
        Object value = otherValue(setting);
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .versions(2, 2)
                .version2(v2 -> invoke(setting, v2, value))
                .build();

        assertPrintedAndCarriedOver(config, setting.getName() + "=" + value);
    }

    @Test
    void versionsAndPrivateDataArePrintedAndCarriedOver() {
        assertPrintedAndCarriedOver(
                RpcRdmaConfig.builder().versions(1, 2).inlineReceiveBytes(8192).build(), "versions=1 to 2");
        assertPrintedAndCarriedOver(RpcRdmaConfig.builder().withoutPrivateData().build(), "privateData=false");
    }

    @Test
    void listenersArePrintedAndCarriedOverInTheirOrder() {
        RpcRdmaListener first = new RpcRdmaListener() {};
        RpcRdmaListener second = new RpcRdmaListener() {};
        RpcRdmaConfig one = RpcRdmaConfig.builder().listener(first).build();

        assertThat(one.toBuilder().listener(second).build())
                .asString()
                .contains("listeners=[" + first + ", " + second + "]");
        assertThat(one).asString().contains("listeners=[" + first + "]");
    }

    @Test
    void laterSettingsChangeNeitherTheConfigurationNorItsBuilder() {
        RpcRdmaConfig.Builder builder = RpcRdmaConfig.builder().version2(v2 -> v2.maxContinuedBytes(77));
        RpcRdmaConfig config = builder.build();
        RpcRdmaConfig.Builder copy = config.toBuilder();
        builder.creditsGranted(3).version2(v2 -> v2.maxContinuedBytes(3));
        copy.creditsGranted(4).fixed(f -> f.continuationBytes = 4);

        assertThat(config).asString().contains("creditsGranted=64", "maxContinuedBytes=77");
        assertThat(copy.build()).asString().contains("creditsGranted=4", "maxContinuedBytes=77");
        assertThat(builder.build()).asString().contains("creditsGranted=3", "maxContinuedBytes=3");
        assertThat(config.toBuilder().fixed.continuationBytes).isEqualTo(16 << 10);
    }

    @Test
    void timesOutOfRangeAreNamed() {
        assertThatThrownBy(() -> RpcRdmaConfig.builder().callTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("callTimeout: PT0S (expected: > 0)");
        assertThatThrownBy(() -> RpcRdmaConfig.builder().peerTimeout(Duration.ofDays(999_999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("peerTimeout: PT")
                .hasMessageEndingWith("(expected: at most 292 years)");
    }

    private static Object otherValue(Method setting) {
        Object value = OTHER_VALUES.get(setting.getParameterTypes()[0]);
        assertThat(value).as("a value for the test of " + setting).isNotNull();
        return value;
    }

    private static void invoke(Method setting, Object builder, Object value) {
        try {
            setting.invoke(builder, value);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }
}
