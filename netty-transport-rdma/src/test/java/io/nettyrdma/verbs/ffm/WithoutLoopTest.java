// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCm;
import java.io.IOException;
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
        NativeCompChannel completions = driver.completionChannel();
        assertThatThrownBy(() -> new NativeVerbs().getCqEvent(completions, null, -1))
                .hasMessageContaining("VerbsExtensions.await");
    }
}
