// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Credentials of flavor AUTH_SYS: who the caller claims to be (RFC 5531, appendix A).
 *
 * @param uid     user number
 * @param gid     group number; supplementary groups are not sent
 * @param machine name of the caller's machine, for the server's log
 */
public record AuthSys(int uid, int gid, String machine) {

    /** Flavor of a caller who claims nothing; its body is empty. */
    public static final int AUTH_NONE = 0;
    /** Flavor of these credentials. */
    public static final int AUTH_SYS = 1;

    private static final int MAX_MACHINE_BYTES = 255;
    private static final int NOBODY = 65_534;

    /** Refuses machine names of more than 255 octets. */
    public AuthSys {
        if (machine.getBytes(StandardCharsets.UTF_8).length > MAX_MACHINE_BYTES) {
            throw new IllegalArgumentException("machine name of more than 255 bytes: " + machine);
        }
    }

    /** The user number of this process, or of "nobody" where the operating system has none or tells none. */
    public static int ownUid() {
        return own("unix:uid");
    }

    /** The group number of this process, or of "nobody" where the operating system has none or tells none. */
    public static int ownGid() {
        return own("unix:gid");
    }

    private static int own(String attribute) {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), attribute);
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return NOBODY;
        }
    }

    /** Appends credential and verifier of a call. */
    public void write(ByteBuf call) {
        call.writeInt(AUTH_SYS);
        int length = call.writerIndex();
        call.writeInt(0); // the credential's length, known below
        call.writeInt(0); // an arbitrary stamp
        Xdr.writeString(call, machine);
        call.writeInt(uid).writeInt(gid).writeInt(0);
        call.setInt(length, call.writerIndex() - length - 4);
        call.writeInt(AUTH_NONE).writeInt(0);
    }
}
