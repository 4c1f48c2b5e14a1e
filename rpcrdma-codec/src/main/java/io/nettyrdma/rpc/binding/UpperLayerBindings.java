// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The bindings a connection knows, by program and version. Programs without one use {@link UpperLayerBinding#NONE}.
 *
 * <p>Threading: immutable.
 */
public final class UpperLayerBindings {

    private record Entry(int program, int version, UpperLayerBinding binding) {}

    private static final UpperLayerBindings EMPTY = new UpperLayerBindings(List.of());

    private static final UpperLayerBindings NFS = EMPTY.with(NfsBindings.NFS_PROGRAM, 2, NfsBindings.nfs2())
            .with(NfsBindings.NFS_PROGRAM, 3, NfsBindings.nfs3())
            .with(NfsBindings.NFS_PROGRAM, 4, NfsBindings.nfs4())
            .with(NfsBindings.NFSACL_PROGRAM, 2, NfsBindings.nfsAcl2())
            .with(NfsBindings.NFSACL_PROGRAM, 3, NfsBindings.nfsAcl3());

    /** A handful, and asked for every call: looking through them costs less than the key of a map. */
    private final List<Entry> entries;

    private UpperLayerBindings(List<Entry> entries) {
        this.entries = entries;
    }

    /** No bindings at all: nothing is ever reduced. */
    public static UpperLayerBindings none() {
        return EMPTY;
    }

    /** The bindings of NFS versions 2, 3, 4.0 to 4.2 and of NFSACL, and of nothing else (RFC 8267). */
    public static UpperLayerBindings nfs() {
        return NFS;
    }

    /** These bindings and one more, which replaces an earlier one of the same program and version. */
    public UpperLayerBindings with(int program, int version, UpperLayerBinding binding) {
        List<Entry> extended = new ArrayList<>(entries);
        extended.removeIf(entry -> entry.program() == program && entry.version() == version);
        extended.add(new Entry(program, version, binding));
        return new UpperLayerBindings(List.copyOf(extended));
    }

    /**
     * These bindings and one more.
     *
     * @throws IllegalArgumentException if there is a binding of the same program and version already
     */
    public UpperLayerBindings with(XdrBinding binding) {
        for (Entry entry : entries) {
            if (entry.program() == binding.program() && entry.version() == binding.version()) {
                throw new IllegalArgumentException(
                        binding + ": has a binding already; replace it by with(program, version, binding)");
            }
        }
        return with(binding.program(), binding.version(), binding);
    }

    /**
     * The binding that applies to this call; {@link UpperLayerBinding#NONE} if there is none, or security forbids it.
     */
    public UpperLayerBinding of(RpcCallHeader header) {
        if (header.protection() != RpcCallHeader.Protection.CLEAR) {
            return UpperLayerBinding.NONE; // V1-146
        }
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.program() == header.program() && entry.version() == header.version()) {
                return entry.binding(); // V1-130, V2-186
            }
        }
        return UpperLayerBinding.NONE;
    }

    /** Returns programs and versions. */
    @Override
    public String toString() {
        return entries.stream()
                .map(entry -> Integer.toUnsignedString(entry.program()) + " version "
                        + Integer.toUnsignedString(entry.version()))
                .collect(Collectors.joining(", ", "programs [", "]"));
    }
}
