// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds the numbers of open files, which Java does not tell, and by them makes sure which file a channel has open. A
 * channel is set to a position that no other has; the number is the one whose file is the expected one and which
 * {@code /proc} shows at that position.
 *
 * <p>Time: about as long as opening a file if its number was in use before; else proportional to the number of open
 * files.
 *
 * <p>Threading: any thread.
 */
final class Descriptors {

    private static final Path NUMBERS = Path.of("/proc/self/fd");
    private static final Path DETAILS = Path.of("/proc/self/fdinfo");

    /** How many numbers of closed files are tried first: the system gives the lowest free one to the next. */
    private static final int MAX_RELEASED = 64;

    private final ConcurrentLinkedDeque<Integer> released = new ConcurrentLinkedDeque<>();
    private final AtomicInteger positions = new AtomicInteger((int) System.nanoTime());

    /** What {@code /proc} tells of an open file. */
    private record Details(long position, int mountId) {

        static Details of(int number) throws IOException {
            long position = -1;
            int mountId = -1;
            for (String line : Files.readAllLines(DETAILS.resolve(String.valueOf(number)))) {
                if (line.startsWith("pos:")) {
                    position = Long.parseLong(line.substring(4).trim());
                } else if (line.startsWith("mnt_id:")) {
                    mountId = Integer.parseInt(line.substring(7).trim());
                }
            }
            return new Details(position, mountId);
        }
    }

    /**
     * Takes over a channel nobody has used so far; its position has no meaning any more.
     *
     * @param expected the file that should be open
     * @throws NfsException STALE, with the channel closed, if another file is
     */
    HeldFile hold(FileChannel channel, HostAttributes expected) throws IOException, NfsException {
        @Nullable HeldFile held = null;
        try {
            long position = 1 + (positions.getAndIncrement() & 0x3fff_ffff);
            channel.position(position);
            held = find(channel, expected, position);
        } finally {
            if (held == null) {
                channel.close();
            }
        }
        if (held == null) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return held;
    }

    /** Opens one of the directories that everything else starts from, which nobody exchanges at this moment. */
    HeldFile holdDirectory(Path directory, HostAttributes expected) throws IOException {
        try {
            return hold(FileChannel.open(directory.resolve("."), StandardOpenOption.READ), expected);
        } catch (NfsException e) {
            throw new IOException(
                    "/proc does not show " + directory
                            + " as open; the server needs /proc, and directories with positions",
                    e);
        }
    }

    private @Nullable HeldFile find(FileChannel channel, HostAttributes expected, long position) throws IOException {
        for (Integer number : released) {
            @Nullable HeldFile held = probe(number, channel, expected, position);
            if (held != null) {
                released.remove(number);
                return held;
            }
        }
        try (DirectoryStream<Path> numbers = Files.newDirectoryStream(NUMBERS)) {
            for (Path number : numbers) {
                @Nullable
                HeldFile held = probe(Integer.parseInt(number.getFileName().toString()), channel, expected, position);
                if (held != null) {
                    return held;
                }
            }
        }
        return null;
    }

    private @Nullable HeldFile probe(int number, FileChannel channel, HostAttributes expected, long position) {
        Path path = NUMBERS.resolve(String.valueOf(number));
        try {
            Map<String, Object> found = Files.readAttributes(path, "unix:dev,ino");
            if (!Long.valueOf(expected.device()).equals(found.get("dev"))
                    || !Long.valueOf(expected.inode()).equals(found.get("ino"))) {
                return null;
            }
            Details details = Details.of(number);
            return details.position == position ? new HeldFile(channel, number, details.mountId, path, this) : null;
        } catch (IOException e) {
            return null; // closed meanwhile, so it is not ours
        }
    }

    void onReleased(int number) {
        released.addFirst(number);
        if (released.size() > MAX_RELEASED) {
            released.pollLast();
        }
    }
}
