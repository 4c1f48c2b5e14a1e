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
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.engine.CallCredits;

/**
 * The credits of a requester that finds out which version its connection speaks: no call may be sent before, and then
 * the rule of that version holds.
 *
 * <p>Threading: confined to one thread.
 */
final class DecidedCredits implements CallCredits {

    private CallCredits rule;
    private boolean decided;

    /** @param before what tells of credits while none may be used */
    DecidedCredits(CallCredits before) {
        rule = before;
    }

    /** From now on calls may be sent. */
    void decide(CallCredits rule) {
        this.rule = rule;
        decided = true;
    }

    @Override
    public int requested() {
        return rule.requested();
    }

    @Override
    public int window() {
        return rule.window();
    }

    @Override
    public int inFlight() {
        return rule.inFlight();
    }

    @Override
    public int abandoned() {
        return rule.abandoned();
    }

    @Override
    public boolean mayCall() {
        return decided && rule.mayCall();
    }

    @Override
    public boolean areStuck() {
        return rule.areStuck();
    }

    @Override
    public int stall() {
        return rule.stall();
    }

    @Override
    public void onCalled() {
        rule.onCalled();
    }

    @Override
    public void onAbandoned() {
        rule.onAbandoned();
    }

    @Override
    public void onReturned(boolean wasAbandoned) {
        rule.onReturned(wasAbandoned);
    }

    @Override
    public void onGranted(long granted) {
        rule.onGranted(granted);
    }

    @Override
    public void onConnectionLost() {
        rule.onConnectionLost();
    }
}
