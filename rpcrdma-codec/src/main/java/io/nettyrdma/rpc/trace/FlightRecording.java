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
package io.nettyrdma.rpc.trace;

/**
 * Which events of this package Flight Recorder records at this moment. JVMs may lack its module; no event class is
 * loaded then. Without a recording each of these is a test of a constant, once compiled: the JVM puts the code that
 * looks for recordings into the event classes when the first one starts.
 *
 * <p>Threading: any.
 */
final class FlightRecording {

    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    static boolean ofCalls() {
        return AVAILABLE && CallEvent.PROBE.isEnabled();
    }

    static boolean ofConnections() {
        return AVAILABLE && ConnectionEvent.PROBE.isEnabled();
    }

    static boolean ofRejections() {
        return AVAILABLE && RejectionEvent.PROBE.isEnabled();
    }
}
