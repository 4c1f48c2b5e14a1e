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
package io.nettyrdma.rpc.engine;

/**
 * What a call has not offered enough memory for.
 *
 * @param writeChunk the chunk that is too short, from 1 on; 0 if it is the reply chunk, or the lack of one
 * @param bytes      octets that would have to go there
 */
public record ReplyShortage(int writeChunk, long bytes) {}
