// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of records, each its length, its checksum and its content; a record cut short by the end of the process is the
 * last one and is dropped. Appended records are with the operating system when the method returns, so they survive the
 * process, though not a loss of power.
 *
 * <p>Where the disc has no room, records wait in memory for the next one: a client could not even remove a file if that
 * had to be noted first. Beyond {@value #MAX_WAITING_BYTES} octets they are dropped, and the file has to be written
 * anew.
 *
 * <p>Threading: confined to the monitor of the {@link NodeTable}. Ownership: owns the open file.
 */
final class NodeJournal implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(NodeJournal.class);
    private static final byte NEXT = 1;
    private static final byte BOUND = 2;
    private static final byte UNBOUND = 3;
    private static final byte FORGOTTEN = 4;
    private static final int FRAME_BYTES = 8;
    private static final int MAX_RECORD_BYTES = 4096;

    /** Records that wait for room on the disc, in octets. */
    static final int MAX_WAITING_BYTES = 1 << 20;

    /** Gets the records in the order of their writing. */
    interface Reader {
        /** Numbers below this one have been used. */
        void next(long id) throws IOException;

        void bound(long id, long device, long inode, long directoryId, byte[] name) throws IOException;

        void unbound(long id, long directoryId, byte[] name) throws IOException;

        void forgotten(long id) throws IOException;
    }

    /** Writes everything that is to be kept. */
    interface Snapshot {
        void writeTo(Reader writer) throws IOException;
    }

    /** Makes records of calls. */
    private record Writer(ByteArrayOutputStream out) implements Reader {

        @Override
        public void next(long id) throws IOException {
            record(NEXT, new byte[0], id);
        }

        @Override
        public void bound(long id, long device, long inode, long directoryId, byte[] name) throws IOException {
            record(BOUND, name, id, device, inode, directoryId);
        }

        @Override
        public void unbound(long id, long directoryId, byte[] name) throws IOException {
            record(UNBOUND, name, id, directoryId);
        }

        @Override
        public void forgotten(long id) throws IOException {
            record(FORGOTTEN, new byte[0], id);
        }

        private void record(byte type, byte[] name, long... numbers) throws IOException {
            ByteBuffer content = ByteBuffer.allocate(1 + numbers.length * Long.BYTES + name.length);
            content.put(type);
            for (long number : numbers) {
                content.putLong(number);
            }
            content.put(name);
            DataOutputStream framed = new DataOutputStream(out);
            framed.writeInt(content.capacity());
            framed.writeInt(checksum(content.array(), 0, content.capacity()));
            framed.write(content.array());
        }
    }

    /** How octets get into the file; a seam for tests. */
    interface Output {
        void write(FileChannel channel, ByteBuffer octets) throws IOException;
    }

    private final Path file;
    private final Path name;
    private final Output output;
    private final Consumer<String> complaints;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private FileChannel channel;
    private long recordCount;

    /** Records were dropped, or one is cut short in the middle: what follows would make no sense. */
    private boolean incomplete;

    private boolean complained;

    private NodeJournal(Path file, Path name, Output output, Consumer<String> complaints, FileChannel channel) {
        this.file = file;
        this.name = name;
        this.output = output;
        this.complaints = complaints;
        this.channel = channel;
    }

    static NodeJournal open(Path file) throws IOException {
        return open(file, FileChannel::write, logger::warn);
    }

    /** @param complaints gets a line when the file cannot be written */
    static NodeJournal open(Path file, Output output, Consumer<String> complaints) throws IOException {
        FileChannel channel = append(file);
        // What people know it by; the file may be reached by a way of its own.
        return new NodeJournal(file, file.toRealPath(), output, complaints, channel);
    }

    private static FileChannel append(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    /** Records appended since the last rewrite. */
    long recordCount() {
        return recordCount;
    }

    void replay(Reader reader) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
        while (in.remaining() > FRAME_BYTES) {
            int length = in.getInt();
            int checksum = in.getInt();
            if (length < 1 + Long.BYTES || length > MAX_RECORD_BYTES || length > in.remaining()) {
                return;
            }
            if (checksum(in.array(), in.position(), length) != checksum) {
                return;
            }
            ByteBuffer content = in.slice(in.position(), length);
            in.position(in.position() + length);
            byte type = content.get();
            long id = content.getLong();
            switch (type) {
                case NEXT -> reader.next(id);
                case BOUND -> reader.bound(id, content.getLong(), content.getLong(), content.getLong(), rest(content));
                case UNBOUND -> reader.unbound(id, content.getLong(), rest(content));
                case FORGOTTEN -> reader.forgotten(id);
                default -> throw new IOException(name + " has a record of unknown type " + type);
            }
        }
    }

    void bound(long id, long device, long inode, long directoryId, byte[] name) throws IOException {
        append(writer -> writer.bound(id, device, inode, directoryId, name));
    }

    void unbound(long id, long directoryId, byte[] name) throws IOException {
        append(writer -> writer.unbound(id, directoryId, name));
    }

    void forgotten(long id) throws IOException {
        append(writer -> writer.forgotten(id));
    }

    private void append(Snapshot record) throws IOException {
        record.writeTo(new Writer(waiting));
        recordCount++;
        flush();
    }

    /** Writes what waits; on failure it goes on waiting. */
    private void flush() {
        if (incomplete || waiting.size() == 0) {
            return;
        }
        try {
            long end = channel.size();
            try {
                write(channel, waiting.toByteArray());
                waiting.reset();
                complained = false;
            } catch (IOException e) {
                incomplete = true;
                channel.truncate(end);
                incomplete = false;
                throw e;
            }
        } catch (IOException e) {
            onFailed(e);
        }
        if (waiting.size() > MAX_WAITING_BYTES) {
            waiting.reset();
            incomplete = true;
        }
    }

    /** Whether the file is worth being written anew, as far as this object knows; seldom while it fails. */
    boolean needsRewrite() {
        return incomplete && waiting.size() > MAX_WAITING_BYTES;
    }

    /** Says, once, that the disc has no room. */
    void onFailed(IOException cause) {
        if (!complained) {
            complained = true;
            complaints.accept(name + " cannot be written: " + cause.getMessage()
                    + "; new file handles become stale if the server ends before it can be written");
        }
        recordCount = 0; // so that the next attempt to write it anew is not the next call's
        if (incomplete) {
            waiting.reset();
        }
    }

    /**
     * Replaces all records at once.
     *
     * @throws IOException if that fails; the file is as it was then
     */
    void rewrite(Snapshot snapshot) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileChannel made = append(fresh);
        try {
            ByteArrayOutputStream records = new ByteArrayOutputStream();
            snapshot.writeTo(new Writer(records));
            write(made, records.toByteArray());
            made.force(true);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (Throwable e) { // memory may be short, too
            made.close();
            Files.deleteIfExists(fresh);
            throw new IOException(name + " cannot be written: " + e.getMessage(), e);
        }
        channel.close();
        channel = made;
        recordCount = 0;
        waiting.reset();
        incomplete = false;
        complained = false;
    }

    private void write(FileChannel channel, byte[] records) throws IOException {
        ByteBuffer octets = ByteBuffer.wrap(records);
        while (octets.hasRemaining()) {
            output.write(channel, octets);
        }
    }

    private static int checksum(byte[] octets, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(octets, offset, length);
        return (int) crc.getValue();
    }

    private static byte[] rest(ByteBuffer content) {
        byte[] rest = new byte[content.remaining()];
        content.get(rest);
        return rest;
    }

    /** Whether the file has everything. */
    boolean isComplete() {
        return !incomplete;
    }

    @Override
    public void close() throws IOException {
        flush();
        channel.close();
    }
}
