// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.attribute.FileTime;
import org.apache.hadoop.oncrpc.XDR;
import org.apache.hadoop.oncrpc.security.CredentialsSys;
import org.junit.jupiter.api.Test;

class IdentityTest {

    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;

    private static HostAttributes file(int typeAndMode, int uid, int gid) {
        FileTime time = FileTime.fromMillis(0);
        return new HostAttributes(typeAndMode, 1, uid, gid, 0, 0, 1, 1, 0, time, time, time, "key");
    }

    private static final Identity ROOT = new Identity(0, 0, new int[0]);
    private static final Identity ALICE = new Identity(1000, 1000, new int[] {50});

    @Test
    void modeIsReadForOwnerGroupAndOthers() {
        assertThat(ALICE.rights(file(REGULAR | 0640, 1000, 7))).isEqualTo(6);
        assertThat(ALICE.rights(file(REGULAR | 0640, 1, 50))).isEqualTo(4);
        assertThat(ALICE.rights(file(REGULAR | 0641, 1, 7))).isEqualTo(1);
        // The owner is judged by the owner's bits, even if others may more.
        assertThat(ALICE.rights(file(REGULAR | 0077, 1000, 7))).isZero();
    }

    @Test
    void rootMayEverythingButExecuteWhatNobodyMay() {
        assertThat(ROOT.rights(file(REGULAR, 1000, 7))).isEqualTo(6);
        assertThat(ROOT.rights(file(REGULAR | 0100, 1000, 7))).isEqualTo(7);
        assertThat(ROOT.rights(file(DIRECTORY, 1000, 7))).isEqualTo(7);
    }

    @Test
    void ownersUseTheirDataWhateverTheMode() {
        assertThatCode(() -> ALICE.requireData(file(REGULAR | 0400, 1000, 7), Identity.WRITE))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> ALICE.requireData(file(REGULAR | 0644, 1, 7), Identity.WRITE))
                .hasMessage("ACCES");
    }

    @Test
    void stickyDirectoriesProtectTheFilesOfOthers() {
        HostAttributes shared = file(DIRECTORY | 01777, 1, 1);
        assertThatCode(() -> ALICE.requireRemovable(shared, file(REGULAR, 1000, 7)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> ALICE.requireRemovable(shared, file(REGULAR | 0666, 1, 7)))
                .hasMessage("ACCES");
        assertThatCode(() -> ALICE.requireRemovable(file(DIRECTORY | 0777, 1, 1), file(REGULAR, 1, 7)))
                .doesNotThrowAnyException();
    }

    @Test
    void rootSquashLeavesNothingOfRoot() throws Exception {
        Identity.Mapper mapper = new Identity.Mapper(true);
        assumeTrue(mapper.actsAsCaller(), "it needs root");
        CredentialsSys credentials = new CredentialsSys();
        credentials.setUID(5);
        credentials.setGID(0);
        ByteBuf body = Unpooled.buffer()
                .writeInt(1) // stamp
                .writeInt(0) // no host name
                .writeInt(5)
                .writeInt(0)
                .writeInt(3)
                .writeInt(0)
                .writeInt(7)
                .writeInt(0);
        credentials.read(new XDR(
                Unpooled.buffer()
                        .writeInt(body.readableBytes())
                        .writeBytes(body)
                        .nioBuffer()
                        .asReadOnlyBuffer(),
                XDR.State.READING));
        Identity squashed = mapper.of(credentials);
        assertThat(squashed.uid()).isEqualTo(5);
        assertThat(squashed.gid()).isEqualTo(65_534);
        assertThat(squashed.groups()).containsExactly(65_534, 7, 65_534);
        credentials.setUID(0);
        assertThat(mapper.of(credentials).uid()).isEqualTo(65_534);
        assertThat(mapper.of(credentials).groups()).isEmpty();
    }
}
