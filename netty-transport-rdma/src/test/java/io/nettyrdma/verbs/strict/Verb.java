// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

/** A call of a device that can be made to fail or to hold its caller. */
public enum Verb {
    OPEN_EVENT_CHANNEL,
    CLOSE_EVENT_CHANNEL(true),
    CREATE_ID,
    DESTROY_ID(true),
    BIND,
    LISTEN,
    RESOLVE_ADDRESS,
    RESOLVE_ROUTE,
    CONNECT,
    ACCEPT,
    REJECT,
    DISCONNECT,
    CREATE_QUEUE_PAIR,
    DESTROY_QUEUE_PAIR(true),
    MOVE_TO_ERROR,
    MIGRATE,
    ALLOCATE_DOMAIN,
    DEALLOCATE_DOMAIN(true),
    CREATE_COMPLETION_CHANNEL,
    DESTROY_COMPLETION_CHANNEL(true),
    CREATE_COMPLETION_QUEUE,
    DESTROY_COMPLETION_QUEUE(true),
    ATTACH,
    DETACH(true),
    REGISTER,
    DEREGISTER(true),
    POST_SENDS,
    POST_RECEIVES,
    ACKNOWLEDGE(true),
    POLL(false, true),
    ARM(false, true),
    CHECK_ATTACHED(false, true),
    POLL_EVENT(false, true),
    PROGRESS(false, true),
    AWAIT(false, true);

    /** Whether it gives something back: then it does that also if it fails, or nobody could ever free it. */
    final boolean gives;

    /** Whether a loop calls it over and over, so that its number among the calls means nothing. */
    final boolean repeated;

    Verb() {
        this(false, false);
    }

    Verb(boolean gives) {
        this(gives, false);
    }

    Verb(boolean gives, boolean repeated) {
        this.gives = gives;
        this.repeated = repeated;
    }
}
