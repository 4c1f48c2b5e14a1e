// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import java.lang.reflect.Field;

/**
 * Puts a software provider where DiSNI looks for one. Which one it is does not matter to the tests here: constructors
 * of DiSNI want an answer, and the objects themselves know their device. So it is the one of the JVM, which other tests
 * know by its name.
 */
final class InstalledProvider {

    private InstalledProvider() {}

    static void ensure() {
        try {
            RdmaProviders.get();
            Field field = RdmaProvider.class.getDeclaredField("provider");
            field.setAccessible(true);
            synchronized (RdmaProvider.class) {
                if (!(field.get(null) instanceof SoftProvider)) {
                    field.set(null, new SoftProvider());
                }
            }
        } catch (IOException e) {
            throw new LinkageError("no RDMA provider", e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("DiSNI has changed", e);
        }
    }
}
