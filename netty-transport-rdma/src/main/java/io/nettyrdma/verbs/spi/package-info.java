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

/**
 * For authors of verbs providers: {@link io.nettyrdma.verbs.spi.RdmaProviderFactory} offers one, and {@link
 * io.nettyrdma.verbs.spi.VerbsExtensions} has all functions that DiSNI's API, {@code com.ibm.disni.verbs}, lacks.
 *
 * <p><b>Unstable.</b> These types change with any release. Programs that use channels need none of them.
 */
@NullMarked
@UnstableApi
package io.nettyrdma.verbs.spi;

import io.netty.util.internal.UnstableApi;
import org.jspecify.annotations.NullMarked;
