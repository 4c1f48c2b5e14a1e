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
