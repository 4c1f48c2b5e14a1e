// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.lang.reflect.Field;

/**
 * Gives tests of channels the adapter over the software provider, behind DiSNI's API and with the traits of libdisni.
 */
public final class PlainDisni {

    private static final SoftProvider SOFT = install();
    private static final VerbsExtensions EXTENSIONS =
            new DisniVerbsExtensions(() -> new LibdisniEventChannel(RdmaEventChannel.createEventChannel()));

    private PlainDisni() {}

    private static SoftProvider install() {
        Rdma.ensureAvailability();
        try {
            SoftProvider soft = (SoftProvider) RdmaProvider.provider();
            Field field = RdmaProvider.class.getDeclaredField("provider");
            field.setAccessible(true);
            field.set(null, new ThreadedProvider(soft));
            return soft;
        } catch (IOException | ReflectiveOperationException e) {
            throw new LinkageError("no provider for threads", e);
        }
    }

    /** The extensions that channels get over any provider of DiSNI's API. */
    public static VerbsExtensions extensions() {
        return EXTENSIONS;
    }

    /** What is alive. */
    public static SoftProvider.OpenResources openResources() {
        return SOFT.openResources();
    }
}
