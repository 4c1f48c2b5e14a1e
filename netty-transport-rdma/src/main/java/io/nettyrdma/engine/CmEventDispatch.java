// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;

/**
 * Passes connection events from the event channel of a loop to their channels. It acknowledges an event before its
 * channel gets it. In between, the loop handles completions: messages that a peer sent before it disconnected come
 * first.
 *
 * <p>Threading: the loop's.
 */
final class CmEventDispatch {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(CmEventDispatch.class);

    private final VerbsExtensions verbs;
    private final RdmaEventChannel events;
    private final Registrations registrations;
    private final CompletionDispatch completions;
    private final int maxPerRun;

    /** @param maxPerRun events handled before the loop turns to its tasks */
    CmEventDispatch(
            VerbsExtensions verbs,
            RdmaEventChannel events,
            Registrations registrations,
            CompletionDispatch completions,
            int maxPerRun) {
        this.verbs = verbs;
        this.events = events;
        this.registrations = registrations;
        this.completions = completions;
        this.maxPerRun = maxPerRun;
    }

    /** Handles pending events, up to the limit; returns their number. */
    int pollAll() throws IOException {
        int handled = 0;
        RdmaCmEvent event;
        while (handled < maxPerRun && (event = verbs.pollCmEvent(events)) != null) {
            handled++;
            handle(event);
        }
        return handled;
    }

    private void handle(RdmaCmEvent event) {
        boolean request = event.getEvent() == VerbsConstants.CM_CONNECT_REQUEST;
        RdmaCmId id = event.getConnIdPriv();
        RdmaRegistration registration = registrations.watcher(request ? event.getListenIdPriv() : id);
        try {
            RdmaCmIoEvent said;
            try {
                said = RdmaCmIoEvent.of(event, verbs);
            } finally {
                event.ackEvent();
            }
            completions.pollQueue();
            // Again, because the messages that came first may have closed the channel.
            registration = registrations.watcher(request ? event.getListenIdPriv() : id);
            if (registration != null) {
                registration.handle().handle(registration, said);
            } else if (request) {
                refuse(id);
            }
        } catch (Throwable e) {
            if (request) {
                refuse(id); // there is no channel that could
            }
            if (registration != null) {
                registration.onFailure(e);
            }
        }
    }

    /** Ends a request whose listener was closed in the meantime, or could not make a channel for it. */
    private void refuse(RdmaCmId requested) {
        Throwable failed = new EndSteps()
                .then(() -> verbs.reject(requested, new byte[0]))
                .then(requested::destroyId)
                .failure();
        if (failed != null) {
            logger.debug("failed to reject a connection request", failed);
        }
    }
}
