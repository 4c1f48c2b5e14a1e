// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.WccData;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call in progress: arguments, result, and the objects that it is about. The result has the attributes of those
 * objects whether the call succeeds or not.
 *
 * <p>Threading: confined to the worker that executes it. Ownership: the buffers stay the caller's; the call owns its
 * lock.
 */
final class NfsCall {

    /** An object whose attributes, before and after, the client wants to know. */
    private record Subject(Node node, HostFile before) {}

    final Export export;
    final ByteBuf in;
    final ByteBuf out;
    private final List<Subject> subjects = new ArrayList<>(2);
    private @Nullable Node locked;

    NfsCall(Export export, ByteBuf in, ByteBuf out) {
        this.export = export;
        this.in = in;
        this.out = out;
    }

    Node readNode() throws NfsException {
        return export.table.resolve(ByteBufUtil.getBytes(XdrOpaque.read(in, FileHandle.MAX_BYTES)));
    }

    /** Locks a file that the call is going to change, from the attributes before to those after. */
    void lock(Node node) {
        node.lock.lock();
        locked = node;
    }

    void unlock() {
        if (locked != null) {
            locked.lock.unlock();
            locked = null;
        }
    }

    /** Finds an object; it becomes the call's next subject. */
    HostFile subject(Node node) throws IOException {
        HostFile file = export.attributes(node);
        subjects.add(new Subject(node, file));
        return file;
    }

    /** The same for a directory. */
    HostFile directorySubject(Node node) throws IOException {
        HostFile file = subject(node);
        if (!file.is(FileType.DIRECTORY)) {
            throw new NfsException(Nfs3Status.NOTDIR);
        }
        return file;
    }

    void writePostOpHandle(@Nullable Node node) {
        Xdr.writeBoolean(out, node != null);
        if (node != null) {
            Xdr.writeOpaque(out, export.table.handle(node));
        }
    }

    void writePostOp(@Nullable HostFile file) {
        FileAttributes.writeOptional(out, file == null ? null : file.attributes());
    }

    /** {@code post_op_attr} of the n-th subject as it is now. */
    NfsCall writePostOp(int n) {
        writePostOp(now(n));
        return this;
    }

    /** {@code wcc_data} of the n-th subject. */
    NfsCall writeWcc(int n) {
        @Nullable
        FileAttributes before = n < subjects.size() ? subjects.get(n).before.attributes() : null;
        @Nullable HostFile after = now(n);
        WccData.write(out, before, after == null ? null : after.attributes());
        return this;
    }

    private @Nullable HostFile now(int n) {
        try {
            return n < subjects.size() ? export.attributes(subjects.get(n).node) : null;
        } catch (IOException e) {
            return null; // optional for this very case
        }
    }
}
