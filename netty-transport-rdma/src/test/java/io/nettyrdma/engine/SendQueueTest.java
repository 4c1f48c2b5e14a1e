// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvSendWR;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What a send queue takes the completions of a device for. Requests are without octets, so that no device is needed.
 *
 * <p>A Send or Write behind a Read may complete before it: iWARP is done with them when TCP has them, and with the Read
 * when the response has come (RFC 5040, section 5.5), and siw was seen to do so.
 */
class SendQueueTest {

    private static final int SUCCESS = 0;
    private static final int REMOTE_ACCESS_ERROR = 10;
    private static final int FLUSHED = 5;
    private static final int DEPTH = 128;

    private final List<Object> written = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final List<WorkRequest> posted = new ArrayList<>();
    private final WorkRequestBatch batch = new WorkRequestBatch(DEPTH);
    private final ByteBuf target = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(1));
    private final Posting posting = new Posting();
    private final SendQueue queue = new SendQueue(
            recordingVerbs(), null, null, null, posting, 7, SendQueue.COPY_BYTES, DEPTH, new LoopTraffic());

    /** A send queue asks its owner for nothing else. */
    private final QueuePairOwner owner = (QueuePairOwner) Proxy.newProxyInstance(
            QueuePairOwner.class.getClassLoader(), new Class<?>[] {QueuePairOwner.class}, (proxy, method, args) -> {
                assertThat(method.getName()).isEqualTo("onSendCompleted");
                int index = 0;
                while (written.get(index) != args[0]) {
                    index++;
                }
                told.add(index + (args[1] == null ? " done" : " failed"));
                return null;
            });

    @Test
    void readIsDoneByItsOwnCompletionOnlyAndWhatIsBehindItWaits() throws Exception {
        post(send(), read(), send(), send());
        complete(3, SUCCESS);
        assertThat(told).containsExactly("0 done");
        assertThat(queue.outstanding()).isEqualTo(3);
        complete(1, SUCCESS);
        assertThat(told).containsExactly("0 done", "1 done", "2 done", "3 done");
        assertThat(queue.outstanding()).isZero();
    }

    @Test
    void everyReadIsSignalled() throws Exception {
        post(read(), send(), read(), read(), send());
        assertThat(posted).extracting(SendQueueTest::isSignalled).containsExactly(true, false, true, true, true);
    }

    @Test
    void readThatFailsAfterASendBehindItHasSucceededFailsAlone() throws Exception {
        post(read(), send());
        complete(1, SUCCESS);
        assertThat(told).isEmpty();
        complete(0, REMOTE_ACCESS_ERROR);
        assertThat(told).containsExactly("0 failed", "1 done");
    }

    @Test
    void requestsBeforeOneThatFailsHaveSucceeded() throws Exception {
        post(send(), send(), send());
        complete(2, REMOTE_ACCESS_ERROR);
        assertThat(told).containsExactly("0 done", "1 done", "2 failed");
    }

    /** Another thread destroys the queue pair: C would crash, as siw's library does. */
    @Test
    void nothingIsPostedToAQueuePairThatIsBeingDestroyed() throws Exception {
        posting.destroy();
        assertThatThrownBy(() -> post(send()))
                .isInstanceOf(QueuePairInErrorException.class)
                .hasMessageContaining("is being destroyed");
        assertThat(posted).isEmpty();
    }

    @Test
    void completionsBehindALateReadCountAsProgress() throws Exception {
        post(read(), send(), send());
        long before = queue.done();
        complete(2, SUCCESS);
        assertThat(queue.outstanding()).isEqualTo(3);
        assertThat(queue.done()).isGreaterThan(before);
        complete(0, SUCCESS);
    }

    /** siw completes no unsignalled request that it flushes, so nobody knows whether those before were sent. */
    @Test
    void unsignalledRequestsBeforeOneThatWasFlushedMayNotHaveBeenSent() throws Exception {
        post(send(), send());
        post(send(), send(), send());
        complete(1, SUCCESS);
        complete(4, FLUSHED);
        assertThat(told).containsExactly("0 done", "1 done", "2 failed", "3 failed", "4 failed");
    }

    /** A device by the InfiniBand specification completes each request that it flushes, signalled or not. */
    @Test
    void flushedRequestsThatAllCompleteAreToldOnce() throws Exception {
        post(send(), send(), send());
        for (int i = 0; i < 3; i++) {
            complete(i, FLUSHED);
        }
        assertThat(told).containsExactly("0 failed", "1 failed", "2 failed");
    }

    @Test
    void everyRequestIsToldOnceAndInOrderHoweverLateReadsComplete() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Deque<Integer> signalledSends = new ArrayDeque<>();
        Deque<Integer> reads = new ArrayDeque<>(); // responses come in order (RFC 5040, section 5.5)
        int doneReads = 0;
        for (int round = 0; round < 2000; round++) {
            if (random.nextBoolean()) {
                int first = written.size();
                int count = Math.min(1 + random.nextInt(20), DEPTH - queue.outstanding());
                Object[] messages = new Object[count];
                for (int i = 0; i < count; i++) {
                    messages[i] = random.nextInt(3) == 0 ? read() : send();
                }
                post(messages);
                for (int i = first; i < written.size(); i++) {
                    if (written.get(i) instanceof RdmaRead) {
                        reads.add(i);
                    } else if (isSignalled(posted.get(i))) {
                        signalledSends.add(i);
                    }
                }
            } else if (random.nextInt(3) > 0 && !signalledSends.isEmpty()) {
                complete(signalledSends.remove(), SUCCESS);
            } else if (!reads.isEmpty()) {
                complete(reads.remove(), SUCCESS);
                doneReads++;
            }
            long toldReads = told.stream()
                    .filter(line ->
                            written.get(Integer.parseInt(line.substring(0, line.indexOf(' ')))) instanceof RdmaRead)
                    .count();
            assertThat(toldReads).as("seed %d", seed).isLessThanOrEqualTo(doneReads);
        }
        while (!signalledSends.isEmpty()) {
            complete(signalledSends.remove(), SUCCESS);
        }
        while (!reads.isEmpty()) {
            complete(reads.remove(), SUCCESS);
        }
        assertThat(told).as("seed %d", seed).hasSameSizeAs(written);
        for (int i = 0; i < told.size(); i++) {
            assertThat(told.get(i)).as("seed %d", seed).isEqualTo(i + " done");
        }
    }

    private RdmaSend send() {
        RdmaSend send = RdmaSend.of(Unpooled.EMPTY_BUFFER);
        written.add(send);
        return send;
    }

    private RdmaRead read() {
        RdmaRead read = new RdmaRead(new RemoteSegment(1, 0, 0), target);
        written.add(read);
        return read;
    }

    private void post(Object... messages) throws Exception {
        batch.clear();
        for (Object message : messages) {
            if (message instanceof RdmaRead read) {
                RemoteSegment source = read.source();
                queue.addRead(read, read.content(), source.lengthBytes(), source.key(), source.address(), batch);
            } else {
                RdmaSend send = (RdmaSend) message;
                queue.addSend(send, send.content(), send.isSolicited() ? IbvSendWR.IBV_SEND_SOLICITED : 0, batch);
            }
        }
        queue.post(batch);
    }

    private void complete(int index, int status) throws Exception {
        Throwable cause = status == SUCCESS
                ? null
                : new RdmaWorkRequestException("work request", status, status == FLUSHED, null);
        queue.onCompletion(WorkRequestId.slot(posted.get(index).id()), status, cause, owner);
    }

    private static boolean isSignalled(WorkRequest request) {
        return (request.flags() & IbvSendWR.IBV_SEND_SIGNALED) != 0;
    }

    private VerbsExtensions recordingVerbs() {
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, args) -> {
                    WorkRequestBatch requests = (WorkRequestBatch) args[1];
                    for (int i = 0; i < requests.size(); i++) {
                        WorkRequest request = requests.get(i);
                        posted.add(new WorkRequestBatch(1).add().send(request.id(), request.opcode(), request.flags()));
                    }
                    return null;
                });
    }
}
