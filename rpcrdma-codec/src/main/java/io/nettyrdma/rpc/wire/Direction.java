package io.nettyrdma.rpc.wire;

/**
 * Which half of a transaction a received message is. Version 1 headers do not tell, so the role of the receiver
 * decides: what a responder receives is treated as a call, what a requester receives as a reply.
 */
public enum Direction {
    /** Requester to responder. */
    CALL,
    /** Responder to requester. */
    REPLY
}
