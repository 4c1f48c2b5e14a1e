// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
