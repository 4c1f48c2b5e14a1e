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
package io.nettyrdma.lab;

/**
 * How a command in the guest ended; 124 and 137 mean that its time limit ended it. Output is stdout and stderr
 * together.
 */
record GuestResult(String command, int exitCode, String output) {
    GuestResult assertSucceeded() {
        if (exitCode != 0) {
            throw new AssertionError(this);
        }
        return this;
    }

    @Override
    public String toString() {
        return "guest command ended with " + exitCode + ": " + command + "\n--- its output\n" + output + "---";
    }
}
