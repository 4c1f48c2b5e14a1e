// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.util.concurrent.CompletableFuture;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.RpcException;

/** A service of Dubbo by its own protocol, without a registry. */
final class DubboProgram {

    private static final int BIG_BYTES = 4_000_000;
    private static final int REQUESTS = 1_000;
    private static final int AT_ONCE = 64;
    private static final int TIMEOUT_MILLIS = 60_000;

    private DubboProgram() {}

    /** The service. */
    public interface Echo {

        byte[] echo(byte[] bytes);

        CompletableFuture<Integer> plusOne(int number);

        void fail(String message);
    }

    /** Answers calls. */
    public static final class EchoService implements Echo {

        @Override
        public byte[] echo(byte[] bytes) {
            return bytes;
        }

        @Override
        public CompletableFuture<Integer> plusOne(int number) {
            return CompletableFuture.completedFuture(number + 1);
        }

        @Override
        public void fail(String message) {
            throw new IllegalStateException(message);
        }
    }

    public static void main(String[] arguments) throws Exception {
        // No port of the quality-of-service console.
        ApplicationConfig application = new ApplicationConfig("programs");
        application.setQosEnable(false);
        int port = Results.closedPort();
        ProtocolConfig protocol = new ProtocolConfig("dubbo", port);
        protocol.setHost("127.0.0.1");
        protocol.setPayload(2 * BIG_BYTES);
        ServiceConfig<Echo> service = new ServiceConfig<>();
        service.setInterface(Echo.class);
        service.setRef(new EchoService());
        service.setScope("remote");
        DubboBootstrap bootstrap = DubboBootstrap.getInstance()
                .application(application)
                .registry(new RegistryConfig("N/A"))
                .protocol(protocol)
                .service(service)
                .start();
        Echo echo = reference(port);
        Results.print("big", Results.sum(echo.echo(Results.bytes(BIG_BYTES))));
        Results.print("sum of requests", Results.sumOf(REQUESTS, AT_ONCE, echo::plusOne));
        try {
            echo.fail("as asked");
        } catch (IllegalStateException e) {
            Results.printFailure("failed", new IllegalStateException(e.getMessage()));
        }
        try {
            reference(Results.closedPort()).echo(new byte[0]);
        } catch (RpcException | IllegalStateException e) {
            Results.print("refused", e.getClass().getName());
        }
        bootstrap.stop();
    }

    private static Echo reference(int port) {
        ReferenceConfig<Echo> reference = new ReferenceConfig<>();
        reference.setInterface(Echo.class);
        reference.setUrl("dubbo://127.0.0.1:" + port + "/" + Echo.class.getName() + "?payload=" + 2 * BIG_BYTES);
        reference.setTimeout(TIMEOUT_MILLIS);
        reference.setRetries(0);
        return reference.get();
    }
}
