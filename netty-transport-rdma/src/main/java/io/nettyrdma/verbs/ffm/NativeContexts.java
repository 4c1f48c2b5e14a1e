// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
