// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRulesTest {

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(host, port);
    }

    @Test
    void withoutOptionsAllSocketsMove() {
        AddressRules rules = AddressRules.parse("");

        assertThat(rules.moves(address("10.1.2.3", 80))).isTrue();
        assertThat(rules.moves(null)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "8080, 10.1.2.3, 8080, true",
        "8080, 10.1.2.3, 8081, false",
        "8000-8099, 10.1.2.3, 8099, true",
        "8000-8099, 10.1.2.3, 8100, false",
        "10.1.2.3, 10.1.2.3, 1, true",
        "10.1.2.3, 10.1.2.4, 1, false",
        "10.0.0.0/8, 10.255.0.1, 1, true",
        "10.0.0.0/8, 11.0.0.1, 1, false",
        "10.0.0.0/8:5432, 10.0.0.1, 5432, true",
        "10.0.0.0/8:5432, 10.0.0.1, 5433, false",
        "10.1.2.3:80-81, 10.1.2.3, 81, true",
        "[fd00::]/8, fd12::1, 1, true",
        "[fd00::]/8, fe80::1, 1, false",
        "[fd00::]/8, 10.0.0.1, 1, false",
        "[::1]:80, ::1, 80, true",
        "[::1]:80, ::1, 81, false",
        "0.0.0.0/0, 1.2.3.4, 1, true",
    })
    void rulesNamePortsHostsAndNetworks(String place, String host, int port, boolean named) {
        assertThat(AddressRules.parse("rdma=" + place).moves(address(host, port)))
                .isEqualTo(named);
        assertThat(AddressRules.parse("tcp=" + place).moves(address(host, port)))
                .isNotEqualTo(named);
    }

    @Test
    void aNameIsComparedAsTheProgramGivesItAndANetworkWithWhatItMeans() {
        InetSocketAddress byName = InetSocketAddress.createUnresolved("localhost", 7077);

        assertThat(AddressRules.parse("tcp=LocalHost:7077").moves(byName)).isFalse();
        assertThat(AddressRules.parse("tcp=db-1.example.org").moves(byName)).isTrue();
        assertThat(AddressRules.parse("rdma=127.0.0.0/8,rdma=[::1]").moves(byName))
                .isTrue();
        assertThat(AddressRules.parse("rdma=10.0.0.0/8").moves(byName)).isFalse();
    }

    @Test
    void aListenerOnAllAddressesIsOnNetworksOfRdmaOnly() {
        InetSocketAddress all = new InetSocketAddress(7077);

        assertThat(AddressRules.parse("rdma=192.168.7.0/24").moves(all)).isTrue();
        assertThat(AddressRules.parse("tcp=192.168.7.0/24").moves(all)).isTrue();
        assertThat(AddressRules.parse("tcp=7077").moves(all)).isFalse();
    }

    @Test
    void adviceToLeaveAnAddressToTcpFitsTheOptions() {
        assertThat(AddressRules.parse("").toLeave("a:1")).endsWith("option tcp=a:1");
        assertThat(AddressRules.parse("tcp=8080").toLeave("a:1")).endsWith("option tcp=a:1");
        assertThat(AddressRules.parse("rdma=a").toLeave("a:1")).endsWith("options rdma= name it");
    }

    @Test
    void anUnknownAddressIsNoneOfThoseNamed() {
        assertThat(AddressRules.parse("rdma=7077").moves(null)).isFalse();
        assertThat(AddressRules.parse("tcp=8080").moves(null)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "foo",
                "tcp",
                "tcp=",
                "tcp=70000",
                "tcp=9-8",
                "tcp=-5",
                "tcp=10.0.0.0/33",
                "tcp=host/8",
                "tcp=1,rdma=2",
                "tcp=1,",
                "tcp=[::1",
                "tcp=host:",
                "tcp=host:port",
                "tcp=[::1]80",
                "tcp=80,",
                "tcp=,tcp=80",
                "tcp=65536",
                "tcp=80-70000",
                "tcp=10.0.0.1:70000",
                "tcp=10.0.0.0/",
                "tcp=/8",
                "tcp=::1",
                "tcp=[::1]/129",
                "tcp=[1.2.3.4]",
                "tcp=[1::2::3]",
                "tcp=10.0.*",
                "Tcp=80"
            })
    void whatIsNoRuleIsRefused(String options) {
        assertThatThrownBy(() -> AddressRules.parse(options)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.1",
                "10.0.0.300",
                "10.0.0.0-10.0.0.9",
                "1.2.3.4.5",
                "a..b",
                ".example.org",
                ".",
                "-x",
                "x-:80",
                "a.-b.c"
            })
    void aHostThatNoAddressHasIsRefusedWithWhatAHostIs(String host) {
        for (String rule : new String[] {"tcp=" + host, "rdma=" + host}) {
            assertThatThrownBy(() -> AddressRules.parse(rule))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("\"" + rule + "\" names no host (expected: four numbers");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "db_1", "1and1.example.org", "x--y.Z9", "a.b.", "3com"})
    void namesAreHosts(String host) {
        InetSocketAddress byName = InetSocketAddress.createUnresolved(host, 80);

        assertThat(AddressRules.parse("tcp=" + host).moves(byName)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "0.0.0.0:80", "[::]:80"})
    void allAddressesAreNoPeersThatStayTcp(String all) {
        assertThatThrownBy(() -> AddressRules.parse("tcp=" + all))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name a listener on all addresses by its port");
        assertThat(AddressRules.parse("rdma=" + all).moves(new InetSocketAddress(80)))
                .isTrue();
    }
}
