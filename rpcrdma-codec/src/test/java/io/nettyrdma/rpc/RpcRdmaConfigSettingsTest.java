/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each setting can be read, printed and carried over to the next configuration. */
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
            RpcRdmaListener.class,
            new RpcRdmaListener() {},
            ReverseLevel.class,
            ReverseLevel.GENL,
            HostAuthentication.class,
            TestHandshake.of(1, 8));

    /** Values for settings with other ranges. */
    private static final Map<String, Object> OWN_VALUES = Map.of(
            "maxWaitingBytesPerLoop", 2L << 20,
            "receiveReserve", 9,
            "maxReadChunks", 17,
            "maxWriteChunks", 17,
            "readChunksPerCall", 2,
            "writeChunksPerCall", 2);

    static Stream<Method> settings() {
        return Arrays.stream(RpcRdmaConfig.Builder.class.getMethods())
                .filter(it -> it.getReturnType() == RpcRdmaConfig.Builder.class)
                .filter(it ->
                        !Set.of("versions", "version2", "withoutPrivateData").contains(it.getName()));
    }

    static Stream<Method> settingsOfVersion2() {
        return Arrays.stream(RpcRdmaVersion2Config.Builder.class.getMethods())
                .filter(it -> it.getReturnType() == RpcRdmaVersion2Config.Builder.class);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void settingIsReadPrintedAndCarriedOver(Method setting) throws Exception {
        RpcRdmaConfig.Builder builder = RpcRdmaConfig.builder();
        Object value = otherValue(setting);
        setting.invoke(builder, value);
        RpcRdmaConfig config = builder.build();

        for (RpcRdmaConfig each :
                new RpcRdmaConfig[] {config, config.toBuilder().build()}) {
            assertThat(RpcRdmaConfig.class.getMethod(setting.getName()).invoke(each))
                    .isEqualTo(value);
            assertThat(each).asString().contains(setting.getName() + "=" + value);
        }
    }

    @ParameterizedTest
    @MethodSource("settingsOfVersion2")
    void settingOfVersion2IsReadPrintedAndCarriedOver(Method setting) throws Exception {
        Object value = otherValue(setting);
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .versions(2, 2)
                .version2(v2 -> invoke(setting, v2, value))
                .build();

        for (RpcRdmaConfig each :
                new RpcRdmaConfig[] {config, config.toBuilder().build()}) {
            assertThat(RpcRdmaVersion2Config.class.getMethod(setting.getName()).invoke(each.version2()))
                    .isEqualTo(value);
            assertThat(each).asString().contains(setting.getName() + "=" + value);
        }
    }

    @Test
    void versionsAndPrivateDataAreReadPrintedAndCarriedOver() {
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().versions(1, 2).inlineReceiveBytes(8192).build();
        assertThat(config.toBuilder().build().highestVersion()).isEqualTo(2);
        assertThat(config).asString().contains("lowestVersion=1, highestVersion=2");

        RpcRdmaConfig without = RpcRdmaConfig.builder().withoutPrivateData().build();
        assertThat(without.toBuilder().build().hasPrivateData()).isFalse();
        assertThat(without).asString().contains("hasPrivateData=false");
    }

    @Test
    void everyGetterHasASettingAndIsPrinted() {
        for (Class<?> type : new Class<?>[] {RpcRdmaConfig.class, RpcRdmaVersion2Config.class}) {
            String printed = type == RpcRdmaConfig.class
                    ? RpcRdmaConfig.defaults().toString()
                    : RpcRdmaConfig.defaults().version2().toString();
            assertThat(Arrays.stream(type.getDeclaredMethods())
                            .filter(it -> Modifier.isPublic(it.getModifiers()) && !Modifier.isStatic(it.getModifiers()))
                            .map(Method::getName)
                            .filter(it -> !Set.of("toBuilder", "toString").contains(it)))
                    .allSatisfy(it -> assertThat(printed).contains(it + "="));
        }
    }

    @Test
    void laterSettingsChangeNeitherTheConfigurationNorItsBuilder() {
        RpcRdmaConfig.Builder builder = RpcRdmaConfig.builder().version2(v2 -> v2.maxContinuedBytes(77));
        RpcRdmaConfig config = builder.build();
        RpcRdmaConfig.Builder copy = config.toBuilder();
        builder.creditsGranted(3).version2(v2 -> v2.maxContinuedBytes(3));
        copy.creditsGranted(4).version2(v2 -> v2.continuationBytes(4));

        assertThat(config.creditsGranted()).isEqualTo(64);
        assertThat(config.version2().maxContinuedBytes()).isEqualTo(77);
        assertThat(copy.build().version2().maxContinuedBytes()).isEqualTo(77);
        assertThat(builder.build().creditsGranted()).isEqualTo(3);
        assertThat(builder.build().version2().continuationBytes()).isEqualTo(16 << 10);
    }

    @Test
    void timesOutOfRangeAreNamed() {
        assertThatThrownBy(() -> RpcRdmaConfig.builder().callTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("callTimeout: PT0S (expected: > 0)");
        assertThatThrownBy(
                        () -> RpcRdmaConfig.builder().version2(v2 -> v2.negotiationTimeout(Duration.ofDays(999_999))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("negotiationTimeout: PT")
                .hasMessageEndingWith("(expected: at most 292 years)");
    }

    private static Object otherValue(Method setting) {
        Object own = OWN_VALUES.get(setting.getName());
        Object value = own != null ? own : OTHER_VALUES.get(setting.getParameterTypes()[0]);
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
