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

/** A server has more calls outstanding at its client than granted; the connection is closed. */
public final class TooManyCallsException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int calls;
    private final int credits;

    /**
     * Creates the exception for the first call beyond the grant.
     *
     * @param calls unanswered, or answered with their reply unsent
     * @param credits granted
     */
    public TooManyCallsException(int xid, int calls, int credits) {
        super(
                xid,
                calls + " reverse calls are not done, " + credits
                        + " credits are granted (RpcRdmaConfig.reverseCredits)");
        this.calls = calls;
        this.credits = credits;
    }

    /** Returns the number of calls that are not done, with the one beyond the grant. */
    public int calls() {
        return calls;
    }

    /** Returns the credits granted. */
    public int credits() {
        return credits;
    }
}
