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
package io.nettyrdma.channel;

/**
 * The verbs provider does not support a written message or an option of the channel. Such a message is not posted and
 * the channel stays usable. Such an option makes the connection fail.
 */
public final class RdmaUnsupportedException extends UnsupportedOperationException {

    private static final long serialVersionUID = 1;

    RdmaUnsupportedException(String message) {
        super(message);
    }
}
