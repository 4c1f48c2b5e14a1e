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
package io.nettyrdma.deadline;

import java.time.Duration;

/**
 * How long a test waits for something that must happen. It bounds a hang and measures nothing: on a machine that is
 * busy with something else everything takes long, so it is far longer than anything that works needs. The system
 * property {@code test.deadline.scale} multiplies it.
 */
public final class Deadline {

    /** In seconds. */
    public static final int SECONDS = 60 * Integer.getInteger("test.deadline.scale", 1);

    /** In milliseconds. */
    public static final int MILLIS = 1000 * SECONDS;

    /** As a duration. */
    public static final Duration DURATION = Duration.ofSeconds(SECONDS);

    private Deadline() {}
}
