// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.verbs.soft.rdmap.Region;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Registered memory as DiSNI sees it, at the address the device made up. What may be done with it is the business of
 * its {@link Region}, which the setters of the base class do not reach.
 *
 * <p>Threading: any thread. Ownership: keeps its region registered until it is deregistered.
 */
final class SoftMr extends IbvMr {

    private static final int WRITE_RIGHTS = VerbsConstants.ACCESS_LOCAL_WRITE | VerbsConstants.ACCESS_REMOTE_WRITE;
    private static final int KNOWN_RIGHTS = WRITE_RIGHTS | VerbsConstants.ACCESS_REMOTE_READ;

    private final SoftPd pd;
    private final Region region;

    private SoftMr(SoftPd pd, Region region) throws IOException {
        super(
                pd.getContext(),
                region.address(),
                region.lengthBytes(),
                region.rights(),
                region.key(),
                region.key(),
                region.key());
        this.pd = pd;
        this.region = region;
    }

    /** Throws if a buffer cannot be registered with these rights. */
    static void check(ByteBuffer buffer, int access) throws IOException {
        if (!buffer.isDirect()) {
            throw new IOException("only direct buffers can be registered; this one is on the heap");
        }
        if ((access & ~KNOWN_RIGHTS) != 0) {
            throw new IOException("access 0x" + Integer.toHexString(access)
                    + " has rights other than local write, remote write and remote read");
        }
        if ((access & WRITE_RIGHTS) == VerbsConstants.ACCESS_REMOTE_WRITE) {
            throw new IOException("the right of remote write needs that of local write");
        }
        if (buffer.isReadOnly() && (access & WRITE_RIGHTS) != 0) {
            throw new IOException("a read-only buffer cannot be registered for writing");
        }
    }

    /** Registers a buffer that was {@linkplain #check checked}. */
    static SoftMr register(SoftPd pd, ByteBuffer buffer, int access) throws IOException {
        if (!pd.isOpen()) {
            throw new IOException("protection domain is deallocated");
        }
        // Positions and limits of the application's buffer are the application's.
        ByteBuffer memory = buffer.duplicate().clear();
        return new SoftMr(pd, pd.device().regions.register(pd.domain(), memory, access));
    }

    Region region() {
        return region;
    }

    /** Invalidates for good and gives the key back. Idempotent. */
    void deregister() {
        if (pd.device().regions.deregister(region)) {
            close();
        }
    }
}
