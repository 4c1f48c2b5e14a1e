// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.IoRegistration;

/** A channel's registration with its event loop, to which a test tells what its device would. On the event loop. */
public final class DrivenRegistration {

    private final RdmaRegistration registration;

    public DrivenRegistration(IoRegistration registration) {
        this.registration = (RdmaRegistration) registration;
    }

    /** @param status {@code IBV_WC_*} */
    public void onCompletion(long workRequestId, int status) {
        registration.onCompletion(workRequestId, status, 0, 0, 0);
    }

    public void onBatchEnd() {
        registration.onBatchEnd();
    }

    /** @param event {@code VerbsConstants.CM_*} */
    public void onCmEvent(int event) {
        registration.handle().handle(registration, new RdmaCmIoEvent(event, 0, null, null));
    }
}
