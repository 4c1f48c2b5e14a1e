// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaProvider;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.resolver.AddressResolver;
import io.netty.util.concurrent.Future;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.choice.RdmaProviders;
import io.nettyrdma.verbs.ffm.ProviderRefusals;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * What {@code native} says where it cannot be used, though its device is there, in a guest of its own from which the
 * test takes what it needs. Whatever it says without being asked for, it says when it is asked for, and the software
 * provider works instead.
 */
@Tag("lab")
class ProviderRefusalLabTest {

    private static final Duration LIMIT = Duration.ofMinutes(8);

    private static final String GRANTED = "--enable-native-access=ALL-UNNAMED";
    private static final String AS_NOBODY = "setpriv --reuid=nobody --regid=nogroup --clear-groups ";

    private static final String THERE = "device siw0 is there, but provider native cannot use it: ";

    /** What one JVM has printed. */
    private record Said(String auto, String demanded, String channels) {

        static Said in(String output, String environment) {
            List<String> lines = output.lines()
                    .dropWhile(line -> !line.equals("== " + environment))
                    .skip(1)
                    .takeWhile(line -> !line.startsWith("== "))
                    .toList();
            // And nothing else: no warning of the JVM, whatever was refused.
            assertThat(lines).as(environment + " of:\n" + output).hasSize(3);
            return new Said(
                    after("auto: RDMA provider: ", lines.get(0)),
                    after("native: ", lines.get(1)),
                    after("channels: ", lines.get(2)));
        }

        private static String after(String start, String line) {
            assertThat(line).startsWith(start);
            return line.substring(start.length());
        }

        void assertSoftwareInsteadBecauseOf(String why) {
            assertThat(auto)
                    .startsWith("soft (")
                    .contains(why)
                    .endsWith("; change with -Dio.nettyrdma.provider=auto|native|disni|soft)");
            assertThat(demanded).isEqualTo(why);
            assertThat(channels).isEqualTo("connected");
        }

        /** As {@link #assertSoftwareInsteadBecauseOf}, of a reason that has something in its middle that may change. */
        void assertSoftwareInsteadBecauseOf(String start, String end) {
            assertThat(demanded).startsWith(start).endsWith(end);
            assertSoftwareInsteadBecauseOf(demanded);
        }
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        String java = LabRequirements.requireJavaWithForeignFunctions().toString();
        try (LabGuest guest = LabGuest.boot()) {
            String classPath = GuestClassPath.of(
                    guest,
                    ProviderRefusals.class,
                    Deadline.class,
                    RdmaProviders.class,
                    RdmaProvider.class,
                    ByteBuf.class,
                    Channel.class,
                    AddressResolver.class,
                    Future.class,
                    LoggerFactory.class);
            // Without a log, whose lines are none of the JVM's.
            String program = java + " -XX:TieredStopAtLevel=1 -Dslf4j.internal.verbosity=ERROR"
                    + " -Djava.util.logging.config.file=/dev/null -cp " + classPath;
            String main = ' ' + ProviderRefusals.class.getName() + ' ';
            String software = main + "127.0.0.1";
            String output = guest.run(
                            String.join(
                                    "\n",
                                    "cd /tmp",
                                    "library=$(ldconfig -p | sed -n 's/.*librdmacm.so.1 .*=> //p')",
                                    "{ echo '== denied'",
                                    program + " --illegal-native-access=deny" + software,
                                    "echo '== bounded'",
                                    "(ulimit -l 64; exec " + AS_NOBODY + program + ' ' + GRANTED + main
                                            + LabGuest.GUEST_ADDRESS + ')',
                                    "} > one 2>&1 &",
                                    "{ echo '== library'",
                                    "unshare -m sh -c \"mount --bind /dev/null $library && exec " + program + ' '
                                            + GRANTED + software + '"',
                                    "} > two 2>&1",
                                    "wait",
                                    "chmod 600 /dev/infiniband/rdma_cm",
                                    "{ echo '== rights'",
                                    AS_NOBODY + program + ' ' + GRANTED + software,
                                    "} > three 2>&1",
                                    "rdma link del siw0",
                                    "{ echo '== device'",
                                    program + software,
                                    "} > four 2>&1",
                                    "cat one two three four"),
                            LIMIT)
                    .assertSucceeded()
                    .output();

            Said.in(output, "denied")
                    .assertSoftwareInsteadBecauseOf(
                            THERE + "native access is denied (",
                            "; start Java with --enable-native-access=ALL-UNNAMED");
            Said.in(output, "library")
                    .assertSoftwareInsteadBecauseOf(
                            THERE + "librdmacm.so.1 does not load (",
                            "; install the libraries of rdma-core (Debian: librdmacm1, libibverbs1 and"
                                    + " ibverbs-providers)");
            Said.in(output, "rights")
                    .assertSoftwareInsteadBecauseOf(THERE + "this user may not read and write"
                            + " /dev/infiniband/rdma_cm; give it access to the files in /dev/infiniband");
            Said.in(output, "device").assertSoftwareInsteadBecauseOf("no RDMA device in /sys/class/infiniband");

            Said bounded = Said.in(output, "bounded");
            assertThat(bounded.auto()).startsWith("native (libibverbs and librdmacm, device siw0 is there;");
            assertThat(bounded.channels())
                    .contains("ibv_reg_mr of 1048576 bytes: Cannot allocate memory (errno 12);")
                    .contains("RLIMIT_MEMLOCK allows this process 65536 bytes: raise it (ulimit -l), or give"
                            + " CAP_IPC_LOCK");
        }
    }
}
