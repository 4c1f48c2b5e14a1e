// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.RdmaOperation.Header;
import io.nettyrdma.lab.RdmaOperation.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replays the calls and replies of a capture: at no time had the requester more calls unanswered than the last reply
 * granted, and none but the first before there was a reply (RFC 8166, section 3.3.1). The same holds in the reverse
 * direction, whose credits are its own (RFC 8167, section 4.1).
 *
 * <p>The capture has to be taken at the requester, where a reply that it acted upon stands before what it did. Taken at
 * the other side it shows replies early, so that an excess may go unseen, but no good call looks like one.
 */
final class CreditCheck {
    /**
     * @param problems one sentence for each call that was sent without a credit
     * @param forward calls of the side that sent the MPA request
     * @param reverse calls of the other side
     */
    record Report(Path capture, List<String> problems, Direction forward, Direction reverse) {
        Report assertGood() {
            if (!problems.isEmpty()) {
                throw new AssertionError(problems.size() + " calls without a credit in " + capture + ":\n  "
                        + String.join("\n  ", problems.subList(0, Math.min(20, problems.size()))));
            }
            return this;
        }
    }

    /**
     * @param replyCount replies, each of which gave a credit back
     * @param mostOutstanding the most calls of a connection that were unanswered at a time
     * @param mostGranted the most credits that a reply granted
     */
    record Direction(int callCount, int replyCount, int mostOutstanding, long mostGranted) {}

    /** The sums of one direction over all connections. */
    private static final class Totals {
        int callCount;
        int replyCount;
        int mostOutstanding;
        long mostGranted;

        Direction build() {
            return new Direction(callCount, replyCount, mostOutstanding, mostGranted);
        }
    }

    /** What is known of one direction of one connection. */
    private static final class Account {
        long granted = 1;
        int outstanding;
    }

    private final Map<String, Account> accounts = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final Totals forward = new Totals();
    private final Totals reverse = new Totals();

    private CreditCheck() {}

    static Report of(Path capture) throws IOException {
        CreditCheck check = new CreditCheck();
        for (RdmaOperation operation : RdmaOperations.of(capture)) {
            if (operation.kind() == Kind.MPA_REQUEST) {
                check.accounts.remove(account(operation, false));
                check.accounts.remove(account(operation, true));
            } else if (operation.kind() == Kind.SEND && operation.header() != null) {
                check.message(operation, operation.header());
            }
        }
        return new Report(capture, List.copyOf(check.problems), check.forward.build(), check.reverse.build());
    }

    private static String account(RdmaOperation operation, boolean reverse) {
        return (reverse ? "reverse " : "forward ") + operation.connection();
    }

    private void message(RdmaOperation operation, Header header) {
        boolean isReverse = operation.isReverse();
        Totals totals = isReverse ? reverse : forward;
        Account account = accounts.computeIfAbsent(account(operation, isReverse), name -> new Account());
        if (operation.isCall()) {
            if (account.outstanding >= account.granted) {
                problems.add("frame " + operation.frame() + (isReverse ? ": reverse call with " : ": call with ")
                        + account.outstanding + " outstanding and " + account.granted + " granted");
            }
            totals.callCount++;
            totals.mostOutstanding = Math.max(totals.mostOutstanding, ++account.outstanding);
        } else {
            totals.replyCount++;
            account.outstanding--;
            account.granted = header.credits();
            totals.mostGranted = Math.max(totals.mostGranted, header.credits());
        }
    }
}
