// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCm;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** Programs that have threads in DiSNI's calls and no event loop get a sentence instead of waits. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class WithoutLoopTest {

    @Test
    void programWithThreadsOfItsOwnIsToldWhatItNeeds() throws Exception {
        FakeDriver driver = FakeDriver.install();
        RdmaCm cm = new NativeCm();
        assertThatThrownBy(cm::createEventChannel)
                .isInstanceOf(IOException.class)
                .hasMessage("the provider native serves Netty's event loops only; a program with threads of its own"
                        + " needs DiSNI's native library: -Dio.nettyrdma.provider=disni");
        assertThatThrownBy(() -> cm.getCmEvent(null, -1)).hasMessageContaining("VerbsExtensions.pollCmEvent");
        NativeQp queuePair = driver.queuePair(driver.queue());
        NativeVerbs verbs = new NativeVerbs();
        assertThatThrownBy(() -> verbs.postSend(queuePair, List.of(), null))
                .hasMessageContaining("VerbsExtensions.postBatch");
        assertThatThrownBy(() -> verbs.postRecv(queuePair, List.of(), null))
                .hasMessageContaining("VerbsExtensions.postReceives");
        NativeCompChannel completions = driver.completionChannel();
        assertThatThrownBy(() -> verbs.reqNotifyCQ(driver.queue(), true))
                .hasMessageContaining("reqNotification(false)");
        assertThatThrownBy(() -> verbs.getCqEvent(completions, null, -1)).hasMessageContaining("VerbsExtensions.await");
    }
}
