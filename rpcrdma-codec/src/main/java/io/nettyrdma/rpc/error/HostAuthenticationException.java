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
package io.nettyrdma.rpc.error;

/**
 * The peer of a connection is not authenticated: the hook of {@code RpcRdmaVersion2Settings.hostAuthentication}
 * refuses it or fails, the peer does not take part, or the handshake needs more messages than a side may send. The
 * connection ends.
 */
public final class HostAuthenticationException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** @param message why the peer is refused */
    public HostAuthenticationException(String message) {
        super(message);
    }

    /**
     * @param message why the peer is refused
     * @param cause the exception that caused this one
     */
    public HostAuthenticationException(String message, Throwable cause) {
        super(message);
        initCause(cause);
    }
}
