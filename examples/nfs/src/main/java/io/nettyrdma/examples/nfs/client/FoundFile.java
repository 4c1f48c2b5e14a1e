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
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory that LOOKUP found or CREATE made.
 *
 * @param handle     its handle
 * @param attributes its attributes, unless the server left them out
 */
public record FoundFile(FileHandle handle, @Nullable FileAttributes attributes) {

    static FoundFile read(ByteBuf in) {
        return new FoundFile(FileHandle.read(in), FileAttributes.readOptional(in));
    }
}
