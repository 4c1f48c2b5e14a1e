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
package io.nettyrdma.verbs.spi;

import java.io.IOException;

/**
 * The driver refused a post because the queue pair is in the error state. Its connection is over: the CM event {@code
 * DISCONNECTED} follows, and a failed completion may say why. The driver siw refuses such a post; other devices accept
 * the requests and flush them.
 */
public final class QueuePairInErrorException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * @param message the refused call, and the driver's error
     */
    public QueuePairInErrorException(String message) {
        super(message);
    }
}
