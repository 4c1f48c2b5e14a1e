// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How clients find a server by its name when event loops of RDMA make the connections. */
class NameResolutionTest {

    private static final String IN_NO_HOSTS_FILE = "server.test";
    private static final int TTL_SECONDS = 60;

    private final EventLoopGroup rdma = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void end() throws InterruptedException {
        rdma.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        nio.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private int listen() throws InterruptedException {
        Channel listener = new ServerBootstrap()
                .group(rdma)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {}
                })
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .sync()
                .channel();
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private Bootstrap client() {
        return new Bootstrap().group(rdma).channel(RdmaSocketChannel.class).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {}
        });
    }

    private static void assertConnects(Bootstrap client, String host, int port) throws InterruptedException {
        Channel channel = client.connect(host, port).sync().channel();
        assertThat(channel.remoteAddress()).isEqualTo(new InetSocketAddress("127.0.0.1", port));
        channel.close().sync();
    }

    @Test
    void jdkResolvesUnlessAProgramChoosesAnotherResolver() throws Exception {
        int port = listen();
        assertConnects(client(), "localhost", port);
        assertConnects(client().resolver(DefaultAddressResolverGroup.INSTANCE), "localhost", port);
    }

    private static DnsNameResolverBuilder dns(EventLoop loop) {
        return new DnsNameResolverBuilder(loop)
                .datagramChannelType(NioDatagramChannel.class)
                .resolvedAddressTypes(ResolvedAddressTypes.IPV4_ONLY);
    }

    /** Answers every question with 127.0.0.1, or says that there is no such name. */
    private static final class NameServer extends SimpleChannelInboundHandler<DatagramDnsQuery> {

        private final boolean knows;

        NameServer(boolean knows) {
            this.knows = knows;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            DatagramDnsResponse response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            response.addRecord(DnsSection.QUESTION, question);
            if (!knows) {
                response.setCode(DnsResponseCode.NXDOMAIN);
                context.writeAndFlush(response);
                return;
            }
            response.addRecord(
                    DnsSection.ANSWER,
                    new DefaultDnsRawRecord(
                            question.name(),
                            DnsRecordType.A,
                            TTL_SECONDS,
                            context.alloc().buffer().writeBytes(new byte[] {127, 0, 0, 1})));
            context.writeAndFlush(response);
        }
    }

    private InetSocketAddress nameServer() throws InterruptedException {
        return nameServer(true);
    }

    private InetSocketAddress nameServerThatKnowsNone() throws InterruptedException {
        return nameServer(false);
    }

    private InetSocketAddress nameServer(boolean knows) throws InterruptedException {
        return (InetSocketAddress) new Bootstrap()
                .group(nio)
                .channel(NioDatagramChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new DatagramDnsQueryDecoder(),
                                        new DatagramDnsResponseEncoder(),
                                        new NameServer(knows));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel()
                .localAddress();
    }

    private void assertDnsFinds(EventLoop loop) throws Exception {
        int port = listen();
        try (DnsAddressResolverGroup group = new DnsAddressResolverGroup(
                dns(loop).nameServerProvider(new SingletonDnsServerAddressStreamProvider(nameServer())))) {
            assertConnects(client().resolver(group), IN_NO_HOSTS_FILE, port);
        }
    }

    @Test
    void dnsClientOnALoopOfNioAsksForAChannelOfRdma() throws Exception {
        assertDnsFinds(nio.next());
    }

    @Test
    void dnsClientOnALoopOfRdmaAsksWithADatagramChannelOfNio() throws Exception {
        assertDnsFinds(rdma.next());
    }

    @Test
    void unknownNameFailsOnALoopOfRdmaAsOnALoopOfNio() throws Exception {
        for (EventLoop loop : List.of(nio.next(), rdma.next())) {
            try (DnsNameResolver resolver = dns(loop)
                    .nameServerProvider(new SingletonDnsServerAddressStreamProvider(nameServerThatKnowsNone()))
                    .build()) {
                for (String known : new String[] {"127.0.0.1", "localhost"}) {
                    assertThat(resolver.resolve(known).sync().getNow().getHostAddress())
                            .isEqualTo("127.0.0.1");
                }
                assertThat(resolver.resolve(IN_NO_HOSTS_FILE).await().cause())
                        .isInstanceOf(UnknownHostException.class)
                        .hasMessageContaining(IN_NO_HOSTS_FILE);
            }
        }
    }
}
