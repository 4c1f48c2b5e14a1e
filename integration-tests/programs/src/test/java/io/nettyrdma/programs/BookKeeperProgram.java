// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.concurrent.CompletionStage;
import org.apache.bookkeeper.client.api.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.util.LocalBookKeeper;

/** Two bookies of BookKeeper and its client. The metadata is in a ZooKeeper, which is reached without Netty. */
@SuppressWarnings("try") // its close() may throw InterruptedException, and nothing interrupts a program
final class BookKeeperProgram {

    private static final int BOOKIES = 2;
    private static final int ENTRIES = 1_000;
    private static final int AT_ONCE = 64;
    private static final int BIG_BYTES = 4_000_000;
    private static final byte[] PASSWORD = "secret".getBytes(StandardCharsets.UTF_8);

    private BookKeeperProgram() {}

    public static void main(String[] arguments) throws Exception {
        // LocalBookKeeper asks ZooKeeper so whether it is up, and else waits for half a minute.
        System.setProperty("zookeeper.4lw.commands.whitelist", "stat");
        int port = Results.closedPort();
        ServerConfiguration configuration = new ServerConfiguration();
        configuration.setAllowLoopback(true);
        configuration.setAdvertisedAddress("127.0.0.1");
        configuration.setAllowEphemeralPorts(true);
        configuration.setBookiePort(0);
        try (LocalBookKeeper bookies =
                LocalBookKeeper.getLocalBookies("127.0.0.1", port, BOOKIES, true, configuration)) {
            bookies.start();
            ClientConfiguration client = new ClientConfiguration();
            client.setMetadataServiceUri("zk+null://127.0.0.1:" + port + "/ledgers");
            try (BookKeeper keeper = BookKeeper.newBuilder(client).build()) {
                run(keeper);
            }
        }
    }

    private static void run(BookKeeper keeper) throws Exception {
        long id;
        try (WriteHandle ledger = Results.await(keeper.newCreateLedgerOp()
                .withEnsembleSize(BOOKIES)
                .withWriteQuorumSize(BOOKIES)
                .withAckQuorumSize(BOOKIES)
                .withDigestType(DigestType.CRC32C)
                .withCustomMetadata(Collections.emptyMap())
                .withPassword(PASSWORD)
                .execute())) {
            id = ledger.getId();
            long sum = Results.sumOf(ENTRIES, AT_ONCE, i -> append(ledger, Integer.toString(i)));
            Results.print("sum of entries' numbers", sum);
            Results.print("big", Results.await(ledger.appendAsync(Results.bytes(BIG_BYTES))));
        }
        try (ReadHandle ledger = Results.await(
                keeper.newOpenLedgerOp().withLedgerId(id).withPassword(PASSWORD).execute())) {
            Results.print("last entry", ledger.getLastAddConfirmed());
            long sum = 0;
            try (LedgerEntries entries = Results.await(ledger.readAsync(0, ENTRIES - 1))) {
                for (LedgerEntry entry : entries) {
                    sum += Integer.parseInt(new String(entry.getEntryBytes(), StandardCharsets.UTF_8));
                }
            }
            Results.print("sum of entries", sum);
            try (LedgerEntries entries = Results.await(ledger.readAsync(ENTRIES, ENTRIES))) {
                Results.print("read", Results.sum(entries.getEntry(ENTRIES).getEntryBytes()));
            }
        }
        try {
            Results.await(keeper.newOpenLedgerOp()
                    .withLedgerId(id + 1)
                    .withPassword(PASSWORD)
                    .execute());
        } catch (Exception e) {
            Results.printFailure("no such ledger", e);
        }
    }

    private static CompletionStage<Integer> append(WriteHandle ledger, String text) {
        return ledger.appendAsync(text.getBytes(StandardCharsets.UTF_8)).thenApply(Long::intValue);
    }
}
