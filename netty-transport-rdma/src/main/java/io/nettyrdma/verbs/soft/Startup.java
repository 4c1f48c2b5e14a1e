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

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One role of the MPA start-up of a connection, until its stream runs or it has failed. */
interface Startup {

    /** TCP has an answer for the attempt to connect. */
    void connectable();

    /** Whether octets of the peer are expected now. */
    boolean isReading();

    /**
     * Octets have come. Consumes a complete frame, otherwise nothing.
     *
     * @throws IOException to have {@link #onFailed} called
     */
    void parse(ByteBuffer b) throws IOException;

    /** The socket has failed, or the peer has ended the connection. */
    void onFailed(IOException e);

    /** What the application has to decide about on the side that was asked; {@code null} on the side that asks. */
    @Nullable
    PendingRequest request();

    /** The application has destroyed the id. */
    void onIdDestroyed();
}
