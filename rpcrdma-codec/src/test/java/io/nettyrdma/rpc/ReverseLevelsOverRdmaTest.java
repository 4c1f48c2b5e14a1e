package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.error.ReverseNotReadyException;
import io.nettyrdma.rpc.message.RpcCall;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a server may do to its client over version 2 depends on what the client has said. */
@Timeout(60)
@ExtendWith(NoVerbsLeft.class)
class ReverseLevelsOverRdmaTest {

    private final EventLoopGroup group = LoopsOver.group(2);
    private final BlockingQueue<Channel> opened = new LinkedBlockingQueue<>();
    private final Queue<ReverseLevel> agreed = new ConcurrentLinkedQueue<>();
    private final Queue<RpcRdmaCallReport> reports = new ConcurrentLinkedQueue<>();

    @AfterEach
    void end() {
        assertThat(group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                        .awaitUninterruptibly(RdmaLoopback.WAIT_SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }
}
