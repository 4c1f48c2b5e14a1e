// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import java.util.BitSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class UpperLayerBindingsTest {

    private static final UpperLayerBindings NFS = UpperLayerBindings.nfs();

    private static RpcCallHeader header(ByteBuf call) {
        return Objects.requireNonNull(RpcCallHeader.parse(call));
    }

    private static RpcCallHeader header(int program, int version) {
        return header(XdrMessage.call(program, version, 6).buf());
    }

    @Test
    void nfsVersionsAreKnown() {
        assertThat(NFS.of(header(100003, 2))).isSameAs(NfsBindings.nfs2());
        assertThat(NFS.of(header(100003, 3))).isSameAs(NfsBindings.nfs3());
        assertThat(NFS.of(header(100003, 4))).isSameAs(NfsBindings.nfs4());
        assertThat(NFS.of(header(100227, 2))).isSameAs(NfsBindings.nfsAcl2());
        assertThat(NFS.of(header(100227, 3))).isSameAs(NfsBindings.nfsAcl3());
    }

    @Test
    @Requirement({"V1-130", "V2-031"})
    void programsWithoutBindingReduceNothingAndHaveNoBounds() {
        assertThat(NFS.of(header(100005, 3))).isSameAs(UpperLayerBinding.NONE);
        assertThat(NFS.of(header(100003, 5))).isSameAs(UpperLayerBinding.NONE);
        assertThat(UpperLayerBindings.none().of(header(100003, 3))).isSameAs(UpperLayerBinding.NONE);
        ByteBuf message = XdrMessage.call(100005, 3, 1).zeros(40).buf();
        RpcCallHeader header = header(message);
        UpperLayerBinding none = NFS.of(header);
        assertThat(none.mayReduceArguments(header)).isFalse();
        assertThat(none.reducibleArguments(header, message)).isEmpty();
        assertThat(none.reducibleResults(header, message, new BitSet())).isEmpty();
        assertThat(none.replyBounds(header, message).maxBytes()).isEqualTo(ReplyBounds.UNKNOWN_BYTES);
    }

    @Test
    @Requirement({"V1-144", "V1-146", "V2-163", "V2-164"})
    void protectedCallsHaveNoBinding() {
        assertThat(NFS.of(header(XdrMessage.callWith(100003, 3, 7, XdrMessage.gss(1, 0, 2))
                        .buf())))
                .isSameAs(UpperLayerBinding.NONE);
        assertThat(NFS.of(header(XdrMessage.callWith(100003, 3, 7, XdrMessage.gss(1, 1, 1))
                        .buf())))
                .isSameAs(UpperLayerBinding.NONE);
        assertThat(NFS.of(header(XdrMessage.callWith(100003, 3, 7, XdrMessage.gss(1, 0, 1))
                        .buf())))
                .isSameAs(NfsBindings.nfs3());
    }

    @Test
    void laterBindingReplacesTheEarlierOne() {
        UpperLayerBindings changed = NFS.with(100003, 3, UpperLayerBinding.NONE).with(9, 1, NfsBindings.nfs3());

        assertThat(changed.of(header(100003, 3))).isSameAs(UpperLayerBinding.NONE);
        assertThat(changed.of(header(9, 1))).isSameAs(NfsBindings.nfs3());
        assertThat(NFS.of(header(100003, 3))).isSameAs(NfsBindings.nfs3());
    }
}
