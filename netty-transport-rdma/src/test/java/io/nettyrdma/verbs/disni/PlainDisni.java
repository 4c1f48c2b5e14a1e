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
