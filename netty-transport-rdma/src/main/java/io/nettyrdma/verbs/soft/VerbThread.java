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

/** The thread on which the state of objects lives that other threads call verbs on. All of it may be called by any. */
interface VerbThread {

    /** A synchronous verb. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** Runs a verb there and waits for its outcome. */
    <T> T call(Call<T> call) throws IOException;

    /**
     * Has {@code command} run there. It must not throw.
     *
     * @return false if the thread has ended, so that the command may never run
     */
    boolean execute(Runnable command);

    /** Whether nothing is driven any more. */
    boolean isEnded();
}
