// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.nettyrdma.channel.StreamTransport;
import java.util.List;

/** The bootstraps of {@link StreamTransport}, in the forms that Netty's test suite asks for. */
record Transport(StreamTransport channels) {

    static final Transport UNDER_TEST = new Transport(StreamTransport.UNDER_TEST);

    boolean isEpoll() {
        return channels.isEpoll();
    }

    boolean isRdma() {
        return channels.isRdma();
    }

    ServerBootstrap newServer() {
        return channels.newServer();
    }

    Bootstrap newClient() {
        return channels.newClient();
    }

    List<BootstrapFactory<ServerBootstrap>> servers() {
        return List.of(this::newServer);
    }

    List<BootstrapFactory<Bootstrap>> clients() {
        return List.of(this::newClient);
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs() {
        return List.of(new BootstrapComboFactory<>() {
            @Override
            public ServerBootstrap newServerInstance() {
                return newServer();
            }

            @Override
            public Bootstrap newClientInstance() {
                return newClient();
            }
        });
    }
}
