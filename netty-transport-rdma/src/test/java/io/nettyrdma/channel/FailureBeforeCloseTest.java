// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.nettyrdma.engine.DrivenRegistration;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    private final ChannelPair pair = new ChannelPair(Inbox::new, Telling::new)
            .clientsOver(recording(RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), verbsThatPostNothing())));
    private DrivenRegistration registration;
    private volatile String disconnectReason;
    private RdmaChannel channel;

    /** Returns loops that show the test what the channel registers with them. */
    private IoHandlerFactory recording(IoHandlerFactory factory) {
        return executor -> {
            IoHandler handler = factory.newHandler(executor);
            return (IoHandler) Proxy.newProxyInstance(
                    IoHandler.class.getClassLoader(), new Class<?>[] {IoHandler.class}, (proxy, method, arguments) -> {
                        Object result = method.invoke(handler, arguments);
                        if (method.getName().equals("register")) {
                            registration = new DrivenRegistration((IoRegistration) result);
                        }
                        return result;
                    });
        };
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

    private final class Telling extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            told.add(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            told.add("inactive");
        }
    }

    @BeforeEach
    void connect() throws Exception {
        channel = pair.connect();
        ChannelPair.onLoop(channel, () -> {
            channel.write(ChannelPair.text("a")).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
            channel.writeAndFlush(ChannelPair.text("b")).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        });
        assertThat(posted).hasSize(2);
    }

    @AfterEach
    void end() {
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

    /** What the device tells, in its order, and what the pipeline is told of it before the end. */
    private enum Course {
        FAILURE_BEFORE_WHAT_IT_HAS_FLUSHED(RdmaWorkRequestException.class, test -> {
            test.complete(0, REMOTE_ACCESS_ERROR);
            test.complete(1, FLUSHED);
            test.endBatch();
        }),
        FAILURE_AND_THE_LOSS_OF_THE_CONNECTION(RdmaWorkRequestException.class, test -> {
            test.complete(0, REMOTE_ACCESS_ERROR);
            test.disconnect("lost");
            test.complete(1, FLUSHED);
            test.endBatch();
        }),
        FAILURE_BEHIND_WHAT_IT_HAS_FLUSHED(RdmaWorkRequestException.class, test -> {
            test.complete(0, FLUSHED);
            test.complete(1, REMOTE_ACCESS_ERROR);
            test.endBatch();
        }),
        LOSS_BEHIND_WHAT_IT_HAS_FLUSHED(RdmaConnectionException.class, test -> {
            test.complete(0, FLUSHED);
            test.complete(1, FLUSHED);
            test.endBatch();
            test.disconnect("lost");
        }),
        END_OF_A_PEER_THAT_FLUSHES(null, test -> {
            test.complete(0, FLUSHED);
            test.complete(1, FLUSHED);
            test.endBatch();
            test.disconnect(null);
        }),
        FAILURE_AFTER_AN_ORDINARY_CLOSE(null, test -> {
            test.channel.close();
            test.complete(0, REMOTE_ACCESS_ERROR);
            test.complete(1, FLUSHED);
            test.endBatch();
        });

        final Class<? extends Throwable> told;
        final Consumer<FailureBeforeCloseTest> events;

        Course(Class<? extends Throwable> told, Consumer<FailureBeforeCloseTest> events) {
            this.told = told;
            this.events = events;
        }
    }

    @ParameterizedTest
    @EnumSource
    void reasonIsToldOnceBeforeTheListenerCloses(Course course) throws Exception {
        ChannelPair.onLoop(channel, () -> course.events.accept(this));
        List<Object> told = told();
        assertThat(told).hasSize(course.told == null ? 1 : 2).last().isEqualTo("inactive");
        if (course.told != null) {
            assertThat(told.get(0)).isInstanceOf(course.told);
        }
        if (told.get(0) instanceof RdmaWorkRequestException failure) {
            assertThat(failure.status()).isEqualTo(REMOTE_ACCESS_ERROR);
        }
    }
}
