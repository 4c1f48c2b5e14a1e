// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.examples.gateway.Gateway;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import java.net.InetSocketAddress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Relays between byte streams and TCP. */
@Command(
        name = "gateway",
        description = {
            "Relays bytes between RdmaSocketChannel and TCP, for a server or a client that speaks TCP only. Stop it"
                    + " with Ctrl-C.",
            "It looks the server's name up once, at its start, and asks for no password: listen only where those who"
                    + " may use the server can connect."
        })
final class GatewayCommand extends Program {

    @Parameters(paramLabel = "HOST:PORT", description = "the server to connect to, [ADDRESS]:PORT with IPv6")
    private String server;

    @Mixin
    private final ListenOptions listen = new ListenOptions(7473);

    @Option(
            names = "--from-tcp",
            description = "accept TCP and connect by RDMA; without the option, accept RDMA and connect by TCP")
    private boolean fromTcp;

    @Mixin
    private LogOptions logOptions;

    @Override
    void run() throws Exception {
        print(Rdma.report());
        InetSocketAddress target = target();
        PeerLog log = logOptions.to(this);
        ConnectionLimit.Settings limits = listen.limits();
        try (Gateway gateway = fromTcp
                ? Gateway.fromTcpToRdma(listen.addressOverTcp(), target, limits, log)
                : Gateway.fromRdmaToTcp(listen.address(), target, limits, log)) {
            print("gateway listens on " + gateway.address());
            gateway.awaitEnd();
        }
    }

    private InetSocketAddress target() throws Exception {
        int colon = server.lastIndexOf(':');
        String digits = server.substring(colon + 1);
        if (colon <= 0 || !digits.matches("\\d{1,5}") || Integer.parseInt(digits) > InRange.MAX_PORT) {
            throw wrong(server + " is no HOST:PORT");
        }
        return Addresses.resolve(server.substring(0, colon), Integer.parseInt(digits));
    }
}
