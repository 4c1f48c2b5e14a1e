// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mount.MountEntry;
import org.junit.jupiter.api.Test;

class MountListTest {

    private final MountList mounts = new MountList();

    private List<String> entries() {
        ByteBuf in = Unpooled.buffer();
        mounts.write(in);
        List<String> entries = new ArrayList<>();
        while (Xdr.readBoolean(in)) {
            entries.add(Xdr.readString(in, 1024) + ' ' + Xdr.readString(in, 1024));
        }
        assertThat(in.isReadable()).isFalse();
        return entries;
    }

    @Test
    void whoMountsAgainIsTheNewest() {
        mounts.add(new MountEntry("a", "/"));
        mounts.add(new MountEntry("b", "/"));
        mounts.add(new MountEntry("a", "/"));
        assertThat(entries()).containsExactly("b /", "a /");
    }

    @Test
    void whoUnmountsIsForgotten() {
        mounts.add(new MountEntry("a", "/"));
        mounts.add(new MountEntry("a", "/x"));
        mounts.add(new MountEntry("b", "/x"));
        mounts.remove("a", "/x");
        assertThat(entries()).containsExactly("a /", "b /x");
        mounts.removeAll("a");
        assertThat(entries()).containsExactly("b /x");
    }

    @Test
    void theOldestOfTheSameHostMakesRoom() {
        mounts.add(new MountEntry("other", "/"));
        for (int i = 0; i < 10 * MountList.MAX_PER_HOST; i++) {
            mounts.add(new MountEntry("host", "/" + i));
        }
        assertThat(entries())
                .hasSize(1 + MountList.MAX_PER_HOST)
                .startsWith("other /")
                .endsWith("host /" + (10 * MountList.MAX_PER_HOST - 1));
    }

    @Test
    void hostsOfAnyNumberFillNoMoreThanTheList() {
        for (int i = 0; i < 10 * MountList.MAX_MOUNTS; i++) {
            mounts.add(new MountEntry("host" + i, "/"));
        }
        assertThat(entries()).hasSize(MountList.MAX_MOUNTS).endsWith("host" + (10 * MountList.MAX_MOUNTS - 1) + " /");
    }
}
