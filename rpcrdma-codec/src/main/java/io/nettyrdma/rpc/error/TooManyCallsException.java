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

/** A server has more calls outstanding at its client than it was granted; the connection is closed. */
public final class TooManyCallsException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * For the call that is too much.
     *
     * @param calls  unanswered ones, and answered ones whose replies are not sent
     * @param credits granted
     */
    public TooManyCallsException(int xid, int calls, int credits) {
        super(
                xid,
                calls + " reverse calls are not done, " + credits
                        + " credits are granted (RpcRdmaConfig.reverseCredits)");
    }
}
