// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.engine.DrivenRegistration;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A listener that closes the channel because a write has failed does not keep the reason from the pipeline, in whatever
 * order a device tells what was flushed and why. The device posts nothing here; the test completes the requests.
 */
@ExtendWith(LeavesNothingOpen.class)
class FailureBeforeCloseTest {

    private static final int FLUSHED = 5;
    private static final int REMOTE_ACCESS_ERROR = 10;

    private final VerbsExtensions real = Rdma.extensions();
    private final List<Long> posted = new CopyOnWriteArrayList<>();
    private final List<Object> told = new CopyOnWriteArrayList<>();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new RecordingLoops(RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), verbsThatPostNothing())));
    private final ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new);
    private DrivenRegistration registration;
    private volatile String disconnectReason;
    private RdmaChannel channel;

    /** Loops that show the test what the channel registers with them. */
    private final class RecordingLoops implements IoHandlerFactory {

        private final IoHandlerFactory factory;

        RecordingLoops(IoHandlerFactory factory) {
            this.factory = factory;
        }

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            IoHandler handler = factory.newHandler(executor);
            return (IoHandler) Proxy.newProxyInstance(
                    IoHandler.class.getClassLoader(), new Class<?>[] {IoHandler.class}, (proxy, method, arguments) -> {
                        Object result = call(handler, method, arguments);
                        if (method.getName().equals("register")) {
                            registration = new DrivenRegistration((IoRegistration) result);
                        }
                        return result;
                    });
        }
    }

    private VerbsExtensions verbsThatPostNothing() {
        return InterceptedVerbs.before(real, (method, arguments, call) -> {
            if (method.getName().equals("postBatch")) {
                WorkRequestBatch requests = (WorkRequestBatch) arguments[1];
                for (int i = 0; i < requests.size(); i++) {
                    posted.add(requests.get(i).id());
                }
                return null;
            }
            if (method.getName().equals("disconnectReason")) {
                return disconnectReason;
            }
            return call.make();
        });
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @BeforeEach
    void connect() throws Exception {
        pair.listen();
        channel = (RdmaChannel) ChannelPair.await(
                        new Bootstrap()
                                .group(group)
                                .channel(RdmaChannel.class)
                                .handler(new ChannelInboundHandlerAdapter() {
                                    @Override
                                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                                        told.add(cause);
                                    }

                                    @Override
                                    public void channelInactive(ChannelHandlerContext context) {
                                        told.add("inactive");
                                    }
                                })
                                .connect(pair.address()),
                        "connect")
                .channel();
        ChannelPair.onLoop(channel, () -> {
            channel.write(ChannelPair.text("a")).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
            channel.writeAndFlush(ChannelPair.text("b")).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        });
        assertThat(posted).hasSize(2);
    }

    @AfterEach
    void end() throws Exception {
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        pair.close();
    }

    /** On the event loop: a request ends. */
    private void complete(int request, int status) {
        registration.onCompletion(posted.get(request), status);
    }

    /** On the event loop: the connection is over, for {@code reason} if it was not in an orderly way. */
    private void disconnect(String reason) {
        disconnectReason = reason;
        registration.onCmEvent(VerbsConstants.CM_DISCONNECTED);
    }

    private void endBatch() {
        registration.onBatchEnd();
    }

    /** What the pipeline was told until it became inactive. */
    private List<Object> told() throws Exception {
        ChannelPair.await(channel.closeFuture(), "close");
        ChannelPair.onLoop(channel, () -> {}); // behind channelInactive
        return new ArrayList<>(told);
    }

    private static void assertStatus(Object failure, int status) {
        assertThat(failure).isInstanceOfSatisfying(RdmaWorkRequestException.class, e -> assertThat(e.status())
                .isEqualTo(status));
    }

    @Test
    void failureOfAWriteIsToldBeforeItsListenerCloses() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            complete(0, REMOTE_ACCESS_ERROR);
            complete(1, FLUSHED);
            endBatch();
        });
        assertThat(told()).hasSize(2).last().isEqualTo("inactive");
        assertStatus(told().get(0), REMOTE_ACCESS_ERROR);
    }

    @Test
    void failureIsToldOnceAlthoughTheConnectionIsLostAfterwards() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            complete(0, REMOTE_ACCESS_ERROR);
            disconnect("lost");
            complete(1, FLUSHED);
            endBatch();
        });
        assertThat(told()).hasSize(2).last().isEqualTo("inactive");
        assertThat(told().get(0)).isInstanceOf(RdmaWorkRequestException.class);
    }

    @Test
    void failureThatComesBehindWhatItHasFlushedIsTold() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            complete(0, FLUSHED);
            complete(1, REMOTE_ACCESS_ERROR);
            endBatch();
        });
        assertThat(told()).hasSize(2).last().isEqualTo("inactive");
        assertStatus(told().get(0), REMOTE_ACCESS_ERROR);
    }

    @Test
    void lossOfTheConnectionThatComesBehindWhatItHasFlushedIsTold() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            complete(0, FLUSHED);
            complete(1, FLUSHED);
            endBatch();
            disconnect("lost");
        });
        assertThat(told()).hasSize(2).last().isEqualTo("inactive");
        assertThat(told().get(0)).isInstanceOf(RdmaConnectionException.class);
    }

    @Test
    void endOfAPeerThatFlushesIsNoFailure() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            complete(0, FLUSHED);
            complete(1, FLUSHED);
            endBatch();
            disconnect(null);
        });
        assertThat(told()).containsExactly("inactive");
    }

    @Test
    void failureAfterAnOrdinaryCloseIsNotTold() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            channel.close();
            complete(0, REMOTE_ACCESS_ERROR);
            complete(1, FLUSHED);
            endBatch();
        });
        assertThat(told()).containsExactly("inactive");
    }
}
