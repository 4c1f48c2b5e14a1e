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
package io.nettyrdma.verbs.ffm;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The devices that librdmacm has opened: one object for each, for as long as the process lives. */
class NativeContexts {

    private final Map<Long, NativeContext> contexts = new ConcurrentHashMap<>();

    /** @param pointer {@code struct ibv_context *} */
    NativeContext of(long pointer) throws IOException {
        NativeContext known = contexts.get(pointer);
        if (known != null) {
            return known;
        }
        NativeContext made = NativeContext.of(pointer);
        NativeContext other = contexts.putIfAbsent(pointer, made);
        return other == null ? made : other;
    }
}
