// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * One way in which devices are less helpful than the software provider. Each is legal, or was seen: {@code siw} is the
 * Linux driver of iWARP over TCP, {@code rxe} that of RoCE, both of Linux 6.1.
 *
 * <p>The order is that of the parts ({@code 1/6}) that tests choose: six traits of the queue pair (posts, completions,
 * keys), six of how connections end, and six of what is set up or filled in. A trait can hide another one that acts on
 * the same thing, so that a sixth of the traits has one of each.
 */
public enum Trait {

    /**
     * An RDMA Read completes after Sends and Writes behind it, and its sink holds garbage from the post until its own
     * completion is polled. RFC 5040, section 5.5, rule 6: the sink is indeterminate until the Read Response is
     * delivered. Rule 15 wants completions in the order of the requests, but siw completes a Send as soon as TCP has
     * it, before an earlier Read.
     */
    READS_LATE,

    /**
     * Completions of different queue pairs come in any order, and so do those of the two queues of one queue pair; some
     * come later than the device could deliver them. Order is kept within a send queue (but see {@link #READS_LATE})
     * and within a receive queue: RFC 5040, section 5.5, rules 1, 2, 10 and 15.
     */
    COMPLETIONS_SHUFFLED,

    /**
     * What is posted when the peer disconnects is flushed only by this side's own disconnect, move to error or
     * destruction of the queue pair, as on rxe: a DREQ does not change the state of a queue pair (InfiniBand
     * Architecture Specification, volume 1, section 12.9.6). Siw flushes by itself.
     */
    FLUSHED_BY_OWN_DISCONNECT,

    /**
     * Local keys are checked when a request is posted: the region has to be registered, of the queue pair's protection
     * domain, to hold the octets and, where the device writes, to allow that. Otherwise the request fails with {@code
     * IBV_WC_LOC_PROT_ERR} and the queue pair is in error (InfiniBand Architecture Specification, volume 1, section
     * 10.6.3.3; RFC 5040, section 8.1.1). The software provider looks at a receive only when a message comes. Memory
     * that a request under way names may not be deregistered either; a device does not notice, the test does.
     */
    KEYS_CHECKED,

    /** A post to a queue pair in error is refused: siw returns -1. Rxe takes it and flushes it. */
    POSTS_REFUSED_IN_ERROR,

    /**
     * A receive that is posted when the queue pair has flushed its receives already stays: it completes never, and only
     * the destruction of the queue pair ends it. On siw posting a receive is a write to memory that the driver looks at
     * when it flushes, which it does once; so a program cannot know whether it came in time.
     */
    LATE_RECEIVES_STAY,

    /**
     * Status codes of siw, which has few: what a peer refuses is seen as a lost connection and {@code
     * IBV_WC_WR_FLUSH_ERR}, also of an RDMA Read without the right; a wrong local key is {@code IBV_WC_LOC_QP_OP_ERR}
     * in a send and {@code IBV_WC_GENERAL_ERR} in a receive. The former is also what the request ends with that is
     * under way when the connection goes down, although the peer may have got it.
     */
    STATUS_IWARP,

    /**
     * Status codes of InfiniBand and RoCE: the first request that a lost connection leaves behind fails with {@code
     * IBV_WC_RETRY_EXC_ERR}, or the code of what the peer refused ({@code IBV_WC_RNR_RETRY_EXC_ERR}, {@code
     * IBV_WC_REM_ACCESS_ERR}, {@code IBV_WC_REM_INV_REQ_ERR}); REJECTED has the reject codes 8 (nobody listens) and 28
     * (the application said no) instead of an errno, as seen on rxe (InfiniBand Architecture Specification, volume 1,
     * sections 10.10.3 and 12.6.7.2). Yields to {@link #STATUS_IWARP}.
     */
    STATUS_INFINIBAND,

    /**
     * A Send that finds no receive ends the connection at once: RFC 5041, section 7.1 (no buffer available: error type
     * 2, code 2); seen on siw, and on rxe with an rnr_retry_count of 0.
     */
    RECEIVES_REQUIRED,

    /**
     * Connection events of different ids come in any order, and late. DISCONNECTED comes before or after the flushed
     * requests, and while receives that completed before it were not polled yet: event channel and completion queue are
     * two queues, and both may be filled between two looks of the program (rdma_get_cm_event(3) and ibv_poll_cq(3)
     * promise no order between them). ESTABLISHED comes after the first receive has completed (InfiniBand
     * Architecture Specification, volume 1, section 12.9.8.3: the first message may overtake the Ready to Use; on siw
     * the first Send comes in the same millisecond as the MPA reply).
     */
    EVENTS_SHUFFLED,

    /** Nothing tells why a connection ended: a DISCONNECTED event of siw or rxe has no reason. */
    NO_REASONS,

    /**
     * A Send that finds no receive is repeated for a few milliseconds, after which the connection ends, as with a
     * finite rnr_retry_count (InfiniBand Architecture Specification, volume 1, section 9.7.5.2.8). Yields to {@link
     * #RECEIVES_REQUIRED}.
     */
    RECEIVES_AWAITED_BRIEFLY,

    /** An id stays with the event channel it was made on: libdisni has no rdma_migrate_id. */
    NO_MIGRATION,

    /**
     * {@code RdmaCmId.getVerbs()} returns an object of its own for each id, as libdisni's does, and {@code null} until
     * the id is bound to a device (rdma_resolve_addr(3)). What they have in common is {@code getCmd_fd()}.
     */
    CONTEXT_PER_ID,

    /** A completion queue has at most 32,767 entries, as on rxe; {@code createCQ} fails for more, with EINVAL. */
    SMALL_COMPLETION_QUEUE,

    /**
     * Private data arrives filled up with zeros to 56 octets from a connect, 196 from an accept and 148 from a reject,
     * and more is refused: the fixed fields of InfiniBand's and RoCE's messages (InfiniBand Architecture Specification,
     * volume 1, sections 12.6.5, 12.6.8 and 12.6.7, less the 36 octets of rdma_cm's own header in a request); seen on
     * rxe.
     */
    PRIVATE_DATA_PADDED,

    /**
     * {@code connect}, {@code disconnect} and the destruction of an id hold their caller for a while; a test can hold
     * them for as long as it likes, see {@link Calls#hold}. On siw rdma_connect returns when TCP is connected (95 s
     * were seen), and rdma_destroy_id waits for that.
     */
    CALLS_HOLD,

    /**
     * Of a failed completion only wr_id and status are right: ibv_poll_cq(3) adds qp_num and vendor_err, but libdisni
     * leaves qp_num as it was.
     */
    FAILED_FIELDS_UNDEFINED;

    /** All traits at once; where two exclude each other, the one that yields is without effect. */
    public static Set<Trait> all() {
        return EnumSet.allOf(Trait.class);
    }

    /**
     * The traits that {@code names} lists, separated by commas; all of them for {@code all} or nothing, and for {@code
     * 2/6} the second of every six.
     */
    static Set<Trait> parse(String names) {
        if (names.isBlank() || names.equals("all")) {
            return all();
        }
        Set<Trait> traits = EnumSet.noneOf(Trait.class);
        int slash = names.indexOf('/');
        if (slash >= 0) {
            int parts = Integer.parseInt(names.substring(slash + 1));
            int part = Integer.parseInt(names.substring(0, slash));
            if (part < 1 || part > parts) {
                throw new IllegalArgumentException(
                        "strict.traits: " + names + " (expected: 1/" + parts + " to " + parts + '/' + parts + ')');
            }
            Arrays.stream(values())
                    .filter(it -> it.ordinal() % parts == part - 1)
                    .forEach(traits::add);
            return traits;
        }
        Arrays.stream(names.split(",")).map(String::strip).map(Trait::valueOf).forEach(traits::add);
        return traits;
    }
}
