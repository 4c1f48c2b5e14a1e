// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.nettyrdma.verbs.spi.MemoryWindow;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which windows are bound again and which are freed. */
class MemoryWindowsTest {

    private static final int ACCESS = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ;

    private static final class Window implements MemoryWindow {
        private int key;
        boolean freed;
        boolean refuses;

        Window(int index) {
            key = index << 8;
        }

        @Override
        public int nextKey() {
            return ++key;
        }

        @Override
        public void free() throws IOException {
            if (refuses) {
                throw new IOException("refused");
            }
            freed = true;
        }
    }

    private final List<Window> made = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private final MemoryWindows windows = new MemoryWindows(extensions(), null, () -> asked.add("post"));

    private VerbsExtensions extensions() {
        return (VerbsExtensions) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {VerbsExtensions.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("allocateWindow");
                    assertThat(method.getParameterTypes()).containsExactly(IbvPd.class);
                    Window window = new Window(made.size() + 1);
                    made.add(window);
                    return window;
                });
    }

    private MemoryWindows.Binding bind() throws IOException {
        return windows.bind(null, 0x1000, 64, ACCESS);
    }

    @Test
    void onlyRightsOfThePeerAreBound() throws Exception {
        assertThat(bind().access()).isEqualTo(IbvMr.IBV_ACCESS_REMOTE_READ);
        assertThat(MemoryWindows.isExposed(ACCESS)).isTrue();
        assertThat(MemoryWindows.isExposed(IbvMr.IBV_ACCESS_LOCAL_WRITE)).isFalse();
    }

    @Test
    void windowThatThePeerHasEndedIsBoundAgainWithAnotherKey() throws Exception {
        MemoryWindows.Binding first = bind();
        windows.onInvalidated(first.key());
        first.end();

        MemoryWindows.Binding second = bind();

        assertThat(made).hasSize(1);
        assertThat(made.get(0).freed).isFalse();
        assertThat(second.window()).isSameAs(first.window());
        assertThat(second.key()).isNotEqualTo(first.key());
    }

    @Test
    void windowThatThisSideEndsIsFreed() throws Exception {
        MemoryWindows.Binding first = bind();
        windows.onInvalidated(first.key() + 1); // of something else
        first.end();
        first.end();

        bind();

        assertThat(made).hasSize(2);
        assertThat(made.get(0).freed).isTrue();
    }

    @Test
    void windowThatCannotBeFreedCountsAsExposed() throws Exception {
        MemoryWindows.Binding binding = bind();
        made.get(0).refuses = true;
        assertThatThrownBy(binding::end).isInstanceOf(IOException.class);
        made.get(0).refuses = false;

        binding.end();

        assertThat(made.get(0).freed).isTrue();
    }

    @Test
    void requestsAreAskedForOnceAndNotForWhatHasEnded() throws Exception {
        MemoryWindows.Binding first = bind();
        MemoryWindows.Binding second = bind();
        assertThat(asked).containsExactly("post");
        assertThat(windows.haveUnposted()).isTrue();

        first.end();
        second.end();

        assertThat(windows.haveUnposted()).isFalse();
    }

    @Test
    void allWindowsGoWithTheQueuePair() throws Exception {
        MemoryWindows.Binding first = bind();
        MemoryWindows.Binding second = bind();
        windows.onInvalidated(first.key());
        first.end();

        windows.close();
        second.end();

        assertThat(made).hasSize(2).allMatch(window -> window.freed);
    }

    @Test
    void nothingIsBoundOnAQueuePairThatHasEnded() throws Exception {
        windows.close();

        assertThatThrownBy(this::bind).isInstanceOf(ClosedChannelException.class);
        assertThat(made).isEmpty();
    }
}
