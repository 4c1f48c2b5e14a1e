// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.SVCRegMr;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Protection domain. */
final class StrictPd extends IbvPd {

    private final StrictDevice device;
    private final IbvPd kind;

    StrictPd(StrictDevice device, StrictContext context, IbvPd kind) throws IOException {
        super(context);
        this.device = device;
        this.kind = kind;
        handle = device.nextHandle();
    }

    StrictDevice device() {
        return device;
    }

    IbvPd kind() {
        return kind;
    }

    @Override
    public SVCRegMr regMr(ByteBuffer buffer, int access) throws IOException {
        return new Registration(kind.regMr(buffer, access), buffer, access);
    }

    @Override
    public SVCRegMr regMr(long address, int length, int access) throws IOException {
        return kind.regMr(address, length, access);
    }

    private final class Registration extends SVCRegMr {
        private final SVCRegMr below;
        private final ByteBuffer buffer;
        private final int access;
        private @Nullable StrictMr made;

        Registration(SVCRegMr below, ByteBuffer buffer, int access) {
            this.below = below;
            this.buffer = buffer;
            this.access = access;
        }

        @Override
        public SVCRegMr execute() throws IOException {
            return device.calls().make(Verb.REGISTER, () -> {
                made = new StrictMr(StrictPd.this, below.execute().getMr(), buffer, access);
                device.regions().put(made.getLkey(), made);
                return this;
            });
        }

        @Override
        public @Nullable StrictMr getMr() {
            return made;
        }

        @Override
        public boolean isValid() {
            return below.isValid();
        }

        @Override
        public SVCRegMr free() {
            below.free();
            return this;
        }
    }

    @Override
    public int deallocPd() throws IOException {
        return device.calls().make(Verb.DEALLOCATE_DOMAIN, () -> {
            try {
                int result = kind.deallocPd();
                close();
                return result;
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) { // as DiSNI declares it
                throw new IOException(e);
            }
        });
    }
}
