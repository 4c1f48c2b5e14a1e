// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes what clients hold unforgeable, with a key that never leaves the server: a handle is the object's number, eight
 * octets, and twenty-four octets of its HMAC-SHA-256.
 *
 * <p>Threading: any thread.
 */
final class HandleSeal {

    static final int KEY_BYTES = 32;
    static final int HANDLE_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte HANDLE = 'h';
    private static final byte NAME = 'n';

    private final ThreadLocal<Mac> macs;

    HandleSeal(byte[] key) {
        SecretKeySpec secret = new SecretKeySpec(key, ALGORITHM);
        macs = ThreadLocal.withInitial(() -> {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(secret);
                return mac;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java has no " + ALGORITHM, e);
            }
        });
    }

    byte[] handle(long id) {
        byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(id).array();
        Mac mac = macs.get();
        mac.update(HANDLE);
        byte[] handle = Arrays.copyOf(number, HANDLE_BYTES);
        System.arraycopy(mac.doFinal(number), 0, handle, Long.BYTES, HANDLE_BYTES - Long.BYTES);
        return handle;
    }

    /** A number for a name: the same after a restart, and nobody without the key can make two names meet. */
    long number(byte[] name) {
        Mac mac = macs.get();
        mac.update(NAME);
        return ByteBuffer.wrap(mac.doFinal(name)).getLong();
    }
}
