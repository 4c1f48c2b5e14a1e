// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A typo in a system property is refused, loudly and by name: nothing may fall back to another setting in silence. */
class ProviderPropertiesTest {

    private static final Set<String> KNOWN = Set.of("io.nettyrdma.provider", "io.nettyrdma.soft.crcMode");

    @Test
    void namesThatSomebodyReadsAndThoseOfOthersPass() {
        assertThatCode(() -> ProviderProperties.check(
                        List.of("io.nettyrdma.provider", "java.home", "io.netty.noUnsafe"), KNOWN))
                .doesNotThrowAnyException();
    }

    @Test
    void namesThatNobodyReadsAreRefusedAllAtOnceBesideTheKnownOnes() {
        assertThatThrownBy(() -> ProviderProperties.check(
                        List.of("io.nettyrdma.soft.crcmode", "io.nettyrdma.provder", "java.home"), KNOWN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("io.nettyrdma.soft.crcmode")
                .hasMessageContaining("io.nettyrdma.provder")
                .hasMessageContaining("io.nettyrdma.soft.crcMode")
                .hasMessageNotContaining("java.home");
    }

    @ParameterizedTest
    @CsvSource({
        "crcMode, maybe, prefer",
        "maxReadsInFlight, 129, 1 to 128",
        "receiverNotReadyTimeoutMillis, 1s, number",
        "connectTimeoutMillis, '', number",
    })
    void badValuesAreRefusedByName(String name, String value, String expected) {
        String property = "io.nettyrdma.soft." + name;
        assertThatThrownBy(() -> SoftProviderConfig.fromProperties(Map.of(property, value)::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-D" + property + '=' + value)
                .hasMessageContaining(expected);
    }

    @Test
    void goodValuesAreTaken() {
        assertThatCode(() -> SoftProviderConfig.fromProperties(Map.of(
                        "io.nettyrdma.soft.crcMode", "require", "io.nettyrdma.soft.maxReadsInFlight", " 1 ")::get))
                .doesNotThrowAnyException();
    }

    @Test
    void everySettingOfTheBuilderIsAProperty() {
        assertThat(Arrays.stream(SoftProviderConfig.Builder.class.getDeclaredMethods())
                        .filter(method -> Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 1)
                        .map(method -> "io.nettyrdma.soft." + method.getName()))
                .containsExactlyInAnyOrderElementsOf(SoftProviderConfig.propertyNames());
    }

    /** In a JVM of its own, since a JVM chooses once. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Dio.nettyrdma.soft.crcMode=maybe",
                "-Dio.nettyrdma.sfot.crcMode=never",
                "-Dio.nettyrdma.provider=sotf",
                "-Dio.nettyrdma.soft.connectTimeoutMillis=1e6"
            })
    void typoIsThrownBySomethingThatOnlyAsksWhetherRdmaIsAvailable(String option) throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        option,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Asking.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        String name = option.substring(2, option.indexOf('='));
        assertThat(said.lines().filter(line -> line.startsWith("answer: ")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line)
                        .startsWith("answer: IllegalArgumentException")
                        .contains(name));
    }

    /** Asks three times, because the first failure of a class's initialization must not hide the reason from others. */
    static final class Asking {
        public static void main(String[] args) {
            ask(() -> String.valueOf(Rdma.isAvailable()));
            ask(() -> String.valueOf(Rdma.unavailabilityCause()));
            ask(() -> RdmaProviders.get().name());
        }

        interface Question {
            String ask() throws IOException;
        }

        private static void ask(Question question) {
            String answer;
            try {
                answer = question.ask();
            } catch (IOException | RuntimeException | Error e) {
                answer = e.getClass().getSimpleName() + ": " + e.getMessage();
            }
            System.out.println("answer: " + answer.replace('\n', ' '));
        }
    }
}
