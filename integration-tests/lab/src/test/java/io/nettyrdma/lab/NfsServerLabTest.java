// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernel's NFS client works on a directory of this machine, over RDMA. Random input and output goes on beside the
 * other tests; they are what it has to get on with, and it takes its time.
 */
@Lab
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NfsServerLabTest {
    private static final Duration LIMIT = Duration.ofSeconds(240);
    private static final int LARGEST = 1 << 20;
    private static final int RANDOM_SECONDS = 60;
    /** 64 MiB, made once in a guest, and their digest. */
    private static final String RANDOM =
            """
            [[ -e /tmp/random.sha256 ]] ||
              { head -c 67108864 /dev/urandom > /tmp/random && sha256sum < /tmp/random > /tmp/random.sha256; }
            cat /tmp/random.sha256
            """;

    @TempDir
    static Path dir;

    private static Path export;
    private static NfsServerProcess server;
    private static GuestCommand randomInputAndOutput;
    private String randomDigest;

    @BeforeAll
    static void start(LabGuest guest) throws IOException {
        export = Files.createDirectory(dir.resolve("export"));
        server = NfsServerProcess.start(export, dir);
        randomInputAndOutput = guest.start(
                server.script(
                        LARGEST, "mkdir random && cd random && perl /run/guest/random-io.pl $RANDOM " + RANDOM_SECONDS),
                LIMIT);
    }

    /** Before each, as a guest that has panicked is booted anew. */
    @BeforeEach
    void makeRandom(LabGuest guest) throws IOException {
        randomDigest = digest(guest.run(RANDOM, LIMIT));
    }

    @AfterAll
    static void stop(LabGuest guest) throws IOException {
        try {
            if (randomInputAndOutput != null) {
                randomInputAndOutput.close();
            }
            guest.run("rm -f /tmp/random /tmp/random.sha256", LIMIT).assertSucceeded();
        } finally {
            if (server != null) {
                server.close();
            }
        }
        assertThat(server.output()).doesNotContain("LEAK", "ERROR", "Exception");
    }

    private static String digest(GuestResult result) {
        return result.assertSucceeded().output().split("\\s", 2)[0];
    }

    private static String digestHere(Path file) throws IOException {
        Process sum = new ProcessBuilder("sha256sum", file.toString()).start();
        return new String(sum.getInputStream().readAllBytes()).split("\\s", 2)[0];
    }

    @ParameterizedTest
    @Order(1)
    @ValueSource(ints = {4096, 65_536, LARGEST})
    void whatWasWrittenIsReadAfterARemount(int transfer, LabGuest guest) throws Exception {
        guest.run(
                        server.script(
                                transfer,
                                """
                                dd if=/tmp/random of=data bs=10007 conv=fsync status=none
                                again
                                dd if=data bs=7919 status=none | cmp - /tmp/random
                                """),
                        LIMIT)
                .assertSucceeded();
        assertThat(digestHere(export.resolve("data"))).isEqualTo(randomDigest);
        Files.delete(export.resolve("data"));
    }

    @Test
    @Order(2)
    void manySmallFilesAreMadeListedRenamedAndRemoved(LabGuest guest) throws Exception {
        guest.run(
                        server.script(
                                LARGEST,
                                """
                                mkdir many
                                perl -e 'chdir "many"; for (1..500) {
                                  open F, ">", "file-$_" or die "$_: $!"; print F "$_\\n"; close F or die "$_: $!" }'
                                again
                                [[ $(ls -l many | grep -c file-) == 500 ]]
                                [[ $(ls -U many | sort -u | wc -l) == 500 ]]
                                perl -e 'chdir "many"; for (1..500) {
                                  open F, "<", "file-$_" or die "$_: $!";
                                  <F> eq "$_\\n" or die "$_ holds something else" }'
                                perl -e 'chdir "many"; rename "file-$_", "renamed-$_" or die "$_: $!" for 1..500'
                                [[ $(ls many | grep -c renamed-) == 500 ]]
                                rm -r many
                                [[ ! -e many ]]
                                """),
                        LIMIT)
                .assertSucceeded();
        assertThat(export.resolve("many")).doesNotExist();
    }

    @Test
    @Order(3)
    void linksAreFollowedAndCounted(LabGuest guest) throws Exception {
        guest.run(
                        server.script(
                                LARGEST,
                                """
                                echo content > file
                                ln -s file symbolic
                                ln file hard
                                again
                                [[ $(readlink symbolic) == file && $(< symbolic) == content ]]
                                [[ file -ef hard && $(stat -c %h file) == 2 ]]
                                echo more >> hard
                                [[ $(< file) == $'content\\nmore' ]]
                                rm file
                                [[ $(stat -c %h hard) == 1 && ! -e symbolic && -L symbolic ]]
                                """),
                        LIMIT)
                .assertSucceeded();
        assertThat(export.resolve("hard")).hasContent("content\nmore");
    }

    @Test
    @Order(4)
    void attributesAreSetAndFilesCutAndExtended(LabGuest guest) throws Exception {
        guest.run(
                        server.script(
                                LARGEST,
                                """
                                head -c 100000 /dev/urandom > cut
                                cp cut /tmp/cut
                                truncate -s 33333 cut /tmp/cut
                                truncate -s 77777 cut /tmp/cut
                                again
                                cmp cut /tmp/cut
                                rm /tmp/cut
                                chmod 4711 cut && [[ $(stat -c %a cut) == 4711 ]]
                                touch -d '2001-02-03 04:05:06 UTC' cut && [[ $(stat -c %Y cut) == 981173106 ]]
                                (set -C; ! echo x > cut) 2> /dev/null
                                df . > /dev/null
                                """),
                        LIMIT)
                .assertSucceeded();
        assertThat(export.resolve("cut")).hasSize(77_777);
    }

    /** File handles are of one run of the server, so a client mounts again. */
    @Test
    @Order(5)
    void whatWasCommittedIsReadByANewMountAfterTheServerWasKilled(LabGuest guest) throws Exception {
        Path place = Files.createDirectory(dir.resolve("killed"));
        Path served = Files.createDirectory(place.resolve("export"));
        try (NfsServerProcess killed = NfsServerProcess.start(served, place)) {
            guest.run(
                            killed.script(
                                    LARGEST, "mkdir d && dd if=/tmp/random of=d/data bs=1M conv=fsync status=none"),
                            LIMIT)
                    .assertSucceeded();
            killed.kill();
            killed.startAgain();
            guest.run(killed.script(LARGEST, "cmp d/data /tmp/random"), LIMIT).assertSucceeded();
            assertThat(digestHere(served.resolve("d/data"))).isEqualTo(randomDigest);
            assertThat(killed.output()).doesNotContain("LEAK", "ERROR", "Exception");
        }
    }

    /** Its seed is in what it prints. */
    @Test
    @Order(6)
    void randomInputAndOutputGivesWhatMemoryHolds() throws Exception {
        assertThat(randomInputAndOutput.await().assertSucceeded().output())
                .containsPattern("seed \\d+\\n\\d{3,} operations");
    }
}
