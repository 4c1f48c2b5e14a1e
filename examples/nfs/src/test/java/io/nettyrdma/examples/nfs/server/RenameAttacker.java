// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A program of its own, run as a user without privileges, that exchanges what is its own for symbolic links to
 * somewhere else and back, as fast as it can, until its standard input ends. Then it prints how often it did.
 *
 * <p>Arguments: pairs of a path and what to exchange it for links to.
 */
final class RenameAttacker {

    /** One path at a time, so that what is below it holds still meanwhile. */
    private static final int EXCHANGES_IN_A_ROW = 500;

    private final Path path;
    private final Path link;
    private final Path real;
    private final Path target;

    private RenameAttacker(Path path, Path target) {
        this.path = path;
        this.target = target;
        link = path.resolveSibling(path.getFileName() + ".link");
        real = path.resolveSibling(path.getFileName() + ".real");
    }

    public static void main(String[] arguments) throws Exception {
        List<RenameAttacker> all = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            all.add(new RenameAttacker(Path.of(arguments[i]), Path.of(arguments[i + 1])));
        }
        AtomicBoolean end = new AtomicBoolean();
        Thread waiting = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // nothing is said; the end is what is waited for
                }
            } catch (IOException e) {
                // the same as the end
            }
            end.set(true);
        });
        waiting.setDaemon(true);
        waiting.start();
        System.out.println("ready");
        long count = 0;
        for (int turn = 0; !end.get(); turn++) {
            count += all.get(turn % all.size()).exchange(end);
        }
        System.out.println(count);
    }

    private int exchange(AtomicBoolean end) {
        int count = 0;
        for (int i = 0; i < EXCHANGES_IN_A_ROW && !end.get(); i++) {
            try {
                if (i == 0 && !Files.isSymbolicLink(link)) {
                    Files.createSymbolicLink(link, target);
                }
                move(path, real);
                move(link, path);
                move(path, link);
                move(real, path);
                count++;
            } catch (IOException e) {
                restore(); // somebody took or made one of the names meanwhile
            }
        }
        return count;
    }

    private void restore() {
        try {
            if (Files.isSymbolicLink(path)) {
                Files.delete(path);
            }
            if (!Files.exists(path)) {
                move(real, path);
            }
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, target);
        } catch (IOException e) {
            // the next round tries again
        }
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }
}
