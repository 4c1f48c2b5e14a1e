// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.spi.ExtendedProvider;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;

/**
 * DiSNI's API over libibverbs and librdmacm.
 *
 * <p>Threading: any.
 */
final class NativeProvider extends RdmaProvider implements ExtendedProvider {

    private final NativeCm cm = new NativeCm();
    private final NativeVerbs verbs = new NativeVerbs();
    private final NativeExtensions extensions = new NativeExtensions(new NativeContexts());

    private NativeProvider() {}

    /**
     * Tries whether the libraries, which load, find RDMA.
     *
     * @throws IOException if not; the message says what to do
     */
    static NativeProvider load() throws IOException {
        try {
            NativeEventChannel.destroy(NativeEventChannel.create());
            return new NativeProvider();
        } catch (LinkageError | RuntimeException e) {
            Throwable cause = e instanceof ExceptionInInitializerError && e.getCause() != null ? e.getCause() : e;
            throw new IOException(String.valueOf(cause.getMessage()), cause);
        }
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return 1;
    }

    @Override
    public VerbsExtensions extensions() {
        return extensions;
    }

    @Override
    public ProviderKind kind() {
        return ProviderKind.DEVICE;
    }
}
