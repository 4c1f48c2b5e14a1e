/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Registers the whole capacity of a direct buffer, whatever its position and limit, as DiSNI does. */
final class SoftRegMr extends SVCRegMr {

    private static final int WRITE_RIGHTS = VerbsConstants.ACCESS_LOCAL_WRITE | VerbsConstants.ACCESS_REMOTE_WRITE;
    private static final int KNOWN_RIGHTS = WRITE_RIGHTS | VerbsConstants.ACCESS_REMOTE_READ;

    private final SoftPd pd;
    private final ByteBuffer buffer;
    private final int access;
    private @Nullable SoftMr mr;

    SoftRegMr(SoftPd pd, ByteBuffer buffer, int access) throws IOException {
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
        this.pd = pd;
        this.buffer = buffer;
        this.access = access;
    }

    @Override
    public SVCRegMr execute() throws IOException {
        if (!pd.isOpen()) {
            throw new IOException("protection domain is deallocated");
        }
        // Positions and limits of the application's buffer are the application's.
        ByteBuffer memory = buffer.duplicate().clear();
        mr = new SoftMr(pd, pd.device().regions.register(pd.domain(), memory, access));
        return this;
    }

    @Override
    @SuppressWarnings("NullAway") // DiSNI promises nothing before execute()
    public IbvMr getMr() {
        return mr;
    }

    @Override
    public boolean isValid() {
        return pd.isOpen();
    }

    @Override
    public SVCRegMr free() {
        return this;
    }
}
