// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A library that is laid out otherwise, as buffers whose fields lie elsewhere. */
class LayoutCheckTest {

    private static final long CONTEXT = 0x7f00_0000_1000L;
    private static final long CHANNEL = 0x7f00_0000_2000L;
    private static final long PD = 0x7f00_0000_3000L;
    private static final long SEND_CQ = 0x7f00_0000_4000L;
    private static final long RECV_CQ = 0x7f00_0000_5000L;
    private static final long QP = 0x7f00_0000_6000L;
    private static final long MEMORY = 0x7f00_0000_7000L;

    private static final int SHIFT = 8;

    /** A check of one struct. */
    private interface Check {
        void of(ByteBuffer struct) throws IOException;
    }

    private static ByteBuffer struct(int bytes) {
        return ByteBuffer.allocate(bytes + SHIFT).order(ByteOrder.nativeOrder());
    }

    /** The same octets, with 8 more in front of them than there ought to be. */
    private static ByteBuffer shifted(ByteBuffer struct) {
        ByteBuffer other = struct(struct.capacity());
        other.put(SHIFT, struct, 0, struct.capacity());
        return other;
    }

    private static void assertChecked(ByteBuffer struct, Check check, String field) throws IOException {
        check.of(struct);
        assertThatThrownBy(() -> check.of(shifted(struct)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(field + " holds ")
                .hasMessageContaining("other structures than rdma-core 33 to 65")
                .hasMessageContaining("-Dio.nettyrdma.provider");
    }

    private static ByteBuffer context() {
        return struct(VerbsLayout.IBV_CONTEXT_BYTES)
                .putLong(VerbsLayout.IBV_CONTEXT_DEVICE, 1)
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_POLL_CQ, 2)
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_REQ_NOTIFY_CQ, 3)
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_POST_SEND, 4)
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_POST_RECV, 5)
                .putInt(VerbsLayout.IBV_CONTEXT_CMD_FD, 6)
                .putInt(VerbsLayout.IBV_CONTEXT_ASYNC_FD, 7);
    }

    @Test
    void idHasItsEventChannel() throws Exception {
        assertChecked(
                struct(VerbsLayout.RDMA_CM_ID_BYTES).putLong(VerbsLayout.RDMA_CM_ID_CHANNEL, CHANNEL),
                id -> LayoutCheck.id(id, CHANNEL),
                "rdma_cm_id.channel");
    }

    @Test
    void contextHasADeviceFunctionsAndDescriptors() throws Exception {
        assertChecked(
                context(), context -> LayoutCheck.context(context, fd -> fd == 6 || fd == 7), "ibv_context.device");
        assertThatThrownBy(() ->
                        LayoutCheck.context(context().putLong(VerbsLayout.IBV_CONTEXT_OPS_POST_SEND, 0), fd -> true))
                .hasMessageStartingWith("ibv_context.ops.post_send holds nothing");
        assertThatThrownBy(() -> LayoutCheck.context(context(), fd -> fd == 6))
                .hasMessageStartingWith("ibv_context.async_fd holds 7, not an open descriptor");
        assertThatThrownBy(() -> LayoutCheck.context(context().putInt(VerbsLayout.IBV_CONTEXT_CMD_FD, -1), fd -> true))
                .hasMessageStartingWith("ibv_context.cmd_fd holds -1");
    }

    @Test
    void nameOfTheDeviceIsWhereTheLibraryHasIt() throws Exception {
        LayoutCheck.device(MEMORY, MEMORY + VerbsLayout.IBV_DEVICE_NAME);
        assertThatThrownBy(() -> LayoutCheck.device(MEMORY, MEMORY + VerbsLayout.IBV_DEVICE_NAME + SHIFT))
                .hasMessageStartingWith("ibv_device.name holds 0x7f0000007020 (expected: 0x7f0000007018)");
    }

    @Test
    void protectionDomainHasItsDevice() throws Exception {
        assertChecked(
                struct(VerbsLayout.IBV_PD_BYTES).putLong(VerbsLayout.IBV_PD_CONTEXT, CONTEXT),
                pd -> LayoutCheck.protectionDomain(pd, CONTEXT),
                "ibv_pd.context");
    }

    @Test
    void completionChannelHasItsDeviceAndADescriptor() throws Exception {
        ByteBuffer channel = struct(VerbsLayout.IBV_COMP_CHANNEL_BYTES)
                .putLong(VerbsLayout.IBV_COMP_CHANNEL_CONTEXT, CONTEXT)
                .putInt(VerbsLayout.IBV_COMP_CHANNEL_FD, 9);
        assertChecked(
                channel,
                struct -> LayoutCheck.completionChannel(struct, CONTEXT, fd -> fd == 9),
                "ibv_comp_channel.context");
        assertThatThrownBy(() -> LayoutCheck.completionChannel(channel, CONTEXT, fd -> false))
                .hasMessageStartingWith("ibv_comp_channel.fd holds 9");
    }

    @Test
    void completionQueueHasItsDeviceItsChannelAndEntries() throws Exception {
        ByteBuffer queue = struct(VerbsLayout.IBV_CQ_BYTES)
                .putLong(VerbsLayout.IBV_CQ_CONTEXT, CONTEXT)
                .putLong(VerbsLayout.IBV_CQ_CHANNEL, CHANNEL)
                .putInt(VerbsLayout.IBV_CQ_CQE, 16);
        assertChecked(queue, struct -> LayoutCheck.completionQueue(struct, CONTEXT, CHANNEL), "ibv_cq.context");
        assertThatThrownBy(() -> LayoutCheck.completionQueue(queue, CONTEXT, 0))
                .hasMessageStartingWith("ibv_cq.channel holds ");
        queue.putInt(VerbsLayout.IBV_CQ_CQE, 0);
        assertThatThrownBy(() -> LayoutCheck.completionQueue(queue, CONTEXT, CHANNEL))
                .hasMessageStartingWith("ibv_cq.cqe holds 0");
    }

    @Test
    void memoryRegionHasItsAddressAndItsSize() throws Exception {
        ByteBuffer region = struct(VerbsLayout.IBV_MR_BYTES)
                .putLong(VerbsLayout.IBV_MR_ADDR, MEMORY)
                .putLong(VerbsLayout.IBV_MR_LENGTH, 4096);
        assertChecked(region, struct -> LayoutCheck.memoryRegion(struct, MEMORY, 4096), "ibv_mr.addr");
        assertThatThrownBy(() -> LayoutCheck.memoryRegion(region, MEMORY, 8192))
                .hasMessageStartingWith("ibv_mr.length holds 0x1000 (expected: 0x2000)");
    }

    @Test
    void queuePairIsReachedThroughItsIdAndHasWhatItWasMadeFrom() throws Exception {
        assertChecked(
                struct(VerbsLayout.RDMA_CM_ID_BYTES)
                        .putLong(VerbsLayout.RDMA_CM_ID_VERBS, CONTEXT)
                        .putLong(VerbsLayout.RDMA_CM_ID_QP, QP),
                id -> LayoutCheck.idWithQueuePair(id, CONTEXT),
                "rdma_cm_id.verbs");
        ByteBuffer queuePair = struct(VerbsLayout.IBV_QP_BYTES)
                .putLong(VerbsLayout.IBV_QP_CONTEXT, CONTEXT)
                .putLong(VerbsLayout.IBV_QP_PD, PD)
                .putLong(VerbsLayout.IBV_QP_SEND_CQ, SEND_CQ)
                .putLong(VerbsLayout.IBV_QP_RECV_CQ, RECV_CQ);
        assertChecked(
                queuePair, struct -> LayoutCheck.queuePair(struct, CONTEXT, PD, SEND_CQ, RECV_CQ), "ibv_qp.context");
        assertThatThrownBy(() -> LayoutCheck.queuePair(queuePair, CONTEXT, PD + 1, SEND_CQ, RECV_CQ))
                .hasMessageStartingWith("ibv_qp.pd holds ");
        assertThatThrownBy(() -> LayoutCheck.queuePair(queuePair, CONTEXT, PD, RECV_CQ, RECV_CQ))
                .hasMessageStartingWith("ibv_qp.send_cq holds ");
        assertThatThrownBy(() -> LayoutCheck.queuePair(queuePair, CONTEXT, PD, SEND_CQ, SEND_CQ))
                .hasMessageStartingWith("ibv_qp.recv_cq holds ");
    }

    @Test
    void whatIsRefusedIsGivenBack() throws Exception {
        List<String> steps = new ArrayList<>();
        LayoutCheck.orUndo(() -> steps.add("checked"), () -> steps.add("given back"));
        assertThat(steps).containsExactly("checked");

        assertThatThrownBy(() -> LayoutCheck.orUndo(
                        () -> {
                            throw new IOException("refused");
                        },
                        () -> {
                            steps.add("given back");
                            throw new IOException("not even that");
                        }))
                .hasMessage("refused")
                .satisfies(refused -> assertThat(refused.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("not even that"));
        assertThat(steps).containsExactly("checked", "given back");
    }
}
