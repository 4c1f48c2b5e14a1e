// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.nettyrdma.channel.StreamTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;

/** The bootstraps of {@link StreamTransport}, in the forms that Netty's test suite asks for. */
record Transport(StreamTransport channels) {

    static final Transport UNDER_TEST = new Transport(StreamTransport.UNDER_TEST);

    boolean isEpoll() {
        return channels.isEpoll();
    }

    boolean isRdma() {
        return channels.isRdma();
    }

    boolean isGuests() {
        return channels.name().equals("guests");
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
        return List.of(pair(this::newServer, this::newClient));
    }

    /** NIO's channel also on event loops of RDMA. */
    Bootstrap newDatagrams() {
        return new Bootstrap()
                .group(channels.group())
                .channel(isEpoll() ? EpollDatagramChannel.class : NioDatagramChannel.class);
    }

    List<BootstrapComboFactory<Bootstrap, Bootstrap>> datagramPairs() {
        return List.of(pair(this::newDatagrams, this::newDatagrams));
    }

    /** NIO's channels also on event loops of RDMA; epoll's have addresses of another type. */
    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> domainPairs() {
        Assumptions.assumeFalse(isEpoll());
        return List.of(pair(
                () -> new ServerBootstrap().group(channels.group()).channel(NioServerDomainSocketChannel.class),
                () -> new Bootstrap().group(channels.group()).channel(NioDomainSocketChannel.class)));
    }

    static SocketAddress newDomainAddress() {
        try {
            Path directory = Files.createTempDirectory("dropin");
            directory.toFile().deleteOnExit();
            Path socket = directory.resolve("socket");
            socket.toFile().deleteOnExit();
            return UnixDomainSocketAddress.of(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <S extends AbstractBootstrap<?, ?>, C extends AbstractBootstrap<?, ?>>
            BootstrapComboFactory<S, C> pair(Supplier<S> server, Supplier<C> client) {
        return new BootstrapComboFactory<>() {
            @Override
            public S newServerInstance() {
                return server.get();
            }

            @Override
            public C newClientInstance() {
                return client.get();
            }
        };
    }
}
