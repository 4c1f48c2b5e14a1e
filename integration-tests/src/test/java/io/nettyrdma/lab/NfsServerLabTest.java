/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's NFS client works on a directory of this machine, over RDMA, in sizes that move in chunks. */
@Lab
class NfsServerLabTest {
    private static final Duration LIMIT = Duration.ofSeconds(240);
    private static final int LARGEST = 1 << 20;

    @TempDir
    Path dir;

    private Path export;
    private NfsServerProcess server;

    @BeforeEach
    void start() throws IOException {
        export = Files.createDirectory(dir.resolve("export"));
        server = NfsServerProcess.start(export, dir);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(server.output()).doesNotContain("LEAK", "ERROR", "Exception");
    }

    /** Runs a script between mount and unmount; {@code again} in it mounts anew, so that nothing is in a cache. */
    private String script(int transfer, String bash) {
        String mount = "mount -t nfs -o " + server.mountOptions() + ",rsize=" + transfer + ",wsize=" + transfer + " "
                + LabGuest.HOST_ADDRESS + ":/ /mnt/server";
        return "set -e\nmkdir -p /mnt/server\nmodprobe -a nfs nfsv3 rpcrdma\n"
                + "again() { cd /; umount /mnt/server; " + mount + "; cd /mnt/server; }\n"
                + mount + "\ntrap 'cd /; umount -f -l /mnt/server' EXIT\ncd /mnt/server\n"
                + bash;
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 65_536, LARGEST})
    void whatWasWrittenIsReadAfterARemount(int transfer, LabGuest guest) throws Exception {
        GuestResult result = guest.run(
                script(
                        transfer,
                        """
                                head -c 67108864 /dev/urandom > /tmp/random
                                dd if=/tmp/random of=data bs=10007 conv=fsync status=none
                                again
                                dd if=data bs=7919 status=none | cmp - /tmp/random
                                sha256sum < data
                                rm /tmp/random
                                """),
                LIMIT);
        result.assertSucceeded();
        Process sum = new ProcessBuilder("sha256sum", export.resolve("data").toString()).start();
        String onHost = new String(sum.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).substring(0, 64);
        assertThat(result.output()).contains(onHost);
    }

    @Test
    void smallFilesAndLinksAreMadeListedRenamedAndRemoved(LabGuest guest) throws Exception {
        guest.run(
                        script(
                                LARGEST,
                                """
                                mkdir many
                                for i in {1..2000}; do echo $i > many/file-$i; done
                                again
                                [[ $(ls -l many | grep -c file-) == 2000 ]]
                                [[ $(ls -U many | sort -u | wc -l) == 2000 ]]
                                for i in {1..2000}; do [[ $(< many/file-$i) == $i ]]; done
                                perl -e 'chdir "many"; rename "file-$_", "renamed-$_" or die "$_: $!" for 1..2000'
                                [[ $(ls many | grep -c renamed-) == 2000 ]]
                                rm -r many
                                [[ ! -e many ]]

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

                                head -c 100000 /dev/urandom > cut
                                cp cut /tmp/cut
                                truncate -s 33333 cut /tmp/cut
                                truncate -s 77777 cut /tmp/cut
                                again
                                cmp cut /tmp/cut
                                chmod 4711 cut && [[ $(stat -c %a cut) == 4711 ]]
                                touch -d '2001-02-03 04:05:06 UTC' cut && [[ $(stat -c %Y cut) == 981173106 ]]
                                (set -C; ! echo x > cut) 2> /dev/null
                                df . > /dev/null
                                """),
                        LIMIT)
                .assertSucceeded();
    }

    /** Reads, writes, truncations and remapped caches at random, checked against a copy in memory; the seed is printed. */
    @Test
    void randomInputAndOutputGivesWhatMemoryHolds(LabGuest guest) throws Exception {
        guest.run(
                        script(
                                LARGEST,
                                """
                                cat > /tmp/random-io.pl <<'END'
                                use strict; use warnings;
                                my ($seed, $seconds) = @ARGV; srand($seed); print "seed $seed\\n";
                                my ($limit, $memory, $count, $end) = (3 << 20, "", 0, time + $seconds);
                                sub file { open my $f, $_[0], "random-io" or die $!; binmode $f; $f }
                                my $f = file("+>");
                                while (time < $end) {
                                  my ($what, $at, $n) = (rand 10, int rand $limit, 1 + int rand(rand() < .5 ? 9000 : 700000));
                                  $count++;
                                  if ($what < 5) {
                                    my $data = pack("N", $count) x (1 + $n / 4); $data = substr $data, 0, $n;
                                    $memory .= "\\0" x ($at - length $memory) if $at > length $memory;
                                    substr($memory, $at, $n) = $data;
                                    sysseek $f, $at, 0; my $w = syswrite $f, $data; die "write $!" unless $w == $n;
                                  } elsif ($what < 8.5) {
                                    next if $at >= length $memory;
                                    sysseek $f, $at, 0; my $got = ""; my $r = sysread $f, $got, $n; die "read $!" unless defined $r;
                                    $got eq substr $memory, $at, $r or die "operation $count: wrong data in $at+$r";
                                    $r == $n || $at + $r == length $memory or die "operation $count: short read $at+$n: $r";
                                  } elsif ($what < 9.2) {
                                    truncate $f, $at or die $!;
                                    $memory = $at < length $memory ? substr $memory, 0, $at : $memory . "\\0" x ($at - length $memory);
                                  } else {
                                    close $f or die "close $!";
                                    if (open my $drop, ">", "/proc/sys/vm/drop_caches") { print $drop "1\\n"; close $drop; }
                                    $f = file("+<");
                                  }
                                  die "operation $count: size" unless -s $f == length $memory;
                                }
                                print "$count operations\\n";
                                END
                                perl /tmp/random-io.pl $RANDOM 60
                                """),
                        LIMIT)
                .assertSucceeded();
    }

    @Test
    void writeGoesOnAfterTheServerWasKilledAndStartedAgain(LabGuest guest) throws Exception {
        try (GuestCommand writing = guest.start(
                script(
                        LARGEST,
                        """
                        head -c 67108864 /dev/urandom > /tmp/random
                        mkdir d
                        for i in {0..15}; do
                          dd if=/tmp/random of=d/data bs=1M skip=$((4 * i)) seek=$((4 * i)) count=4 \
                             conv=notrunc,fsync status=none
                          echo "written $i"
                        done
                        again
                        cmp d/data /tmp/random
                        echo compared
                        rm /tmp/random
                        """),
                LIMIT)) {
            writing.awaitOutput("written 3", LIMIT);
            server.kill();
            server.startAgain();
            GuestResult result = writing.await();
            result.assertSucceeded();
            assertThat(result.output()).contains("compared");
        }
    }
}
