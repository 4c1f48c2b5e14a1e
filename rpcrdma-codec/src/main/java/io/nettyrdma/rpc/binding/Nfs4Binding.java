// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * NFS version 4, minor versions 0 to 2, over RDMA (RFC 8267, section 6): the data of WRITE and READ, the link text of
 * CREATE and READLINK may be reduced, nothing else. To find them, every operation before them has to be stepped over; a
 * compound is looked at as far as its operations are known.
 *
 * <p>The n-th item in a reply belongs to the n-th READ or READLINK of the call: an operation that failed has no item,
 * but it is the last one of its reply.
 *
 * <p>Threading: immutable.
 */
final class Nfs4Binding implements UpperLayerBinding {

    private static final int COMPOUND = 1;
    private static final int NULL = 0;
    private static final int LAST_MINOR_VERSION = 2;
    private static final XdrType TAG = XdrType.opaque();
    /** Status, length of the tag, number of results. */
    private static final int COMPOUND_BYTES = 12;
    /** The number of each operation. */
    private static final int OPERATION_BYTES = 4;

    /**
     * Operations that change nothing: ACCESS, GETATTR, GETFH, LOOKUP, LOOKUPP, NVERIFY, PUTFH, PUTPUBFH, PUTROOTFH,
     * READ, READDIR, READLINK, RESTOREFH, SAVEFH, SECINFO, VERIFY.
     */
    private static final Set<Integer> READING = Set.of(3, 9, 10, 15, 16, 17, 22, 23, 24, 25, 26, 27, 31, 32, 33, 37);

    static final UpperLayerBinding DEFAULT = new Nfs4Binding(NfsBindings.UNBOUNDED_REPLY_BYTES);

    private final int unboundedReplyBytes;

    /** With so many octets for what has no bound. */
    Nfs4Binding(int unboundedReplyBytes) {
        this.unboundedReplyBytes = unboundedReplyBytes;
    }

    private static boolean isCompound(RpcCallHeader header) {
        return header.procedure() == COMPOUND && header.protection() == RpcCallHeader.Protection.CLEAR;
    }

    /** In version 4.0 only: sessions take what comes again for a replay. */
    @Override
    public boolean isRepeatable(RpcCallHeader header, ByteBuf call) {
        if (header.procedure() == NULL) {
            return true;
        } else if (!isCompound(header)) {
            return false;
        }
        XdrCursor in = new XdrCursor(call, header.argumentsOffset(), call.readableBytes());
        TAG.skip(in);
        boolean changesNothing = in.readUnsigned() == 0;
        for (long left = in.readUnsigned(); left > 0 && changesNothing && !in.failed(); left--) {
            int operation = in.readInt();
            changesNothing = READING.contains(operation);
            Nfs4Operations.byNumber(operation).arguments().skip(in);
        }
        return changesNothing && !in.failed();
    }

    @Override
    public boolean mayReduceArguments(RpcCallHeader header) {
        return isCompound(header); // V1-136
    }

    @Override
    public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        if (!isCompound(header)) {
            return List.of();
        }
        XdrCursor in = new XdrCursor(call, header.argumentsOffset(), call.readableBytes());
        TAG.skip(in);
        if (in.readUnsigned() > LAST_MINOR_VERSION) {
            return List.of(); // what a later version adds is not known to be the same
        }
        for (long left = in.readUnsigned(); left > 0 && !in.failed(); left--) {
            Nfs4Operations.byNumber(in.readInt()).arguments().skip(in);
        }
        return in.items();
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        if (!isCompound(header)) {
            return List.of();
        }
        XdrCursor in = RpcReplies.results(reply, reduced);
        in.skip(4); // the status of the last operation
        TAG.skip(in);
        for (long left = in.readUnsigned(); left > 0 && !in.failed(); left--) {
            Nfs4Operations.byNumber(in.readInt()).result().skip(in);
        }
        return in.items();
    }

    @Override
    public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        if (header.procedure() == NULL && header.protection() == RpcCallHeader.Protection.CLEAR) {
            return RpcReplies.bounds(call, 0, List.of());
        }
        if (!isCompound(header)) {
            return ReplyBounds.UNKNOWN;
        }
        XdrCursor in = new XdrCursor(call, header.argumentsOffset(), call.readableBytes());
        TAG.skip(in);
        long tagBytes = in.position() - header.argumentsOffset() - 4;
        if (in.readUnsigned() > LAST_MINOR_VERSION || in.failed()) {
            return ReplyBounds.UNKNOWN;
        }
        long bytes = COMPOUND_BYTES + tagBytes; // the tag comes back
        boolean bounded = true;
        List<Integer> reducibleBytes = new ArrayList<>(1);
        for (long left = in.readUnsigned(); left > 0; left--) {
            Nfs4Operation operation = Nfs4Operations.byNumber(in.readInt());
            int at = in.position();
            operation.arguments().skip(in);
            if (in.failed()) {
                bounded = false; // neither this operation nor the ones behind it are known
                break;
            }
            long counted = operation.counted().bytes(new XdrCursor(call, at, in.position()));
            if (operation.reducible()) {
                if (counted > Integer.MAX_VALUE) {
                    return ReplyBounds.UNKNOWN;
                }
                reducibleBytes.add((int) counted); // V1-049
            }
            long longest = OPERATION_BYTES + operation.result().maxBytes() + XdrLengths.padded(counted);
            if (longest < XdrType.UNBOUNDED) {
                bytes += longest;
            } else {
                bounded = false;
            }
        }
        return RpcReplies.bounds(call, bounded ? bytes : bytes + unboundedReplyBytes, reducibleBytes);
    }
}
