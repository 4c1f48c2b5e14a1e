// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The binding of one version of a program, made of the XDR types of its procedures (RFC 8166, section 6). Each method
 * that adds to it returns a new binding:
 *
 * <pre>{@code
 * XdrBinding binding = XdrBinding.of(PROGRAM, VERSION)
 *         .procedure(1, struct(words(2), reducible()), words(1)) // takes two words and data, returns a word
 *         .procedure(2, struct(words(2), COUNT), result(reducible(), VOID)); // returns a status and data
 * }</pre>
 *
 * <p>The bound of a reply follows from the types of the results. A procedure that is not declared reduces nothing, and
 * its replies have no bound. Messages that cannot be decoded are treated as {@link UpperLayerBinding} says.
 *
 * <p>Threading: immutable.
 */
public final class XdrBinding implements UpperLayerBinding {

    private final int program;
    private final int version;
    /** Never changes. */
    private final IntObjectMap<Procedure> procedures;

    private XdrBinding(int program, int version, IntObjectMap<Procedure> procedures) {
        this.program = program;
        this.version = version;
        this.procedures = procedures;
    }

    /**
     * Returns a binding without procedures.
     *
     * @param program number of the program, any 32 bits
     * @param version of the program, any 32 bits
     */
    public static XdrBinding of(int program, int version) {
        return new XdrBinding(program, version, new IntObjectHashMap<>());
    }

    /**
     * Declares a procedure.
     *
     * @param number    any 32 bits
     * @param arguments types of the arguments in order. You may stop after the last one that is reducible or
     *                  {@link XdrType#COUNT}. Use {@link XdrType#VOID} if there is no such argument
     * @param results   types of the results, with a longest length
     * @throws IllegalArgumentException if the procedure is declared already, its results have no longest length, or it
     *                                  has more than one {@link XdrType#COUNT}, one among its results, or one for more
     *                                  than one reducible result
     */
    public XdrBinding procedure(int number, XdrType arguments, XdrType results) {
        String name = name(number);
        if (procedures.containsKey(number)) {
            throw new IllegalArgumentException(name + ": declared already; declare each procedure once");
        }
        return with(number, Procedure.of(name, arguments, results));
    }

    /** Declares a procedure none of whose arguments may be reduced or limits the results. */
    XdrBinding procedure(int number, XdrType results) {
        return procedure(number, XdrType.VOID, results);
    }

    /**
     * Marks procedures as safe to execute twice, such as those that only read. See
     * {@link UpperLayerBinding#isRepeatable}.
     *
     * @throws IllegalArgumentException if one of them is not declared
     */
    public XdrBinding repeatable(int... numbers) {
        XdrBinding marked = this;
        for (int number : numbers) {
            Procedure procedure = procedures.get(number);
            if (procedure == null) {
                throw new IllegalArgumentException(name(number) + ": not declared; declare it by procedure() first");
            }
            marked = marked.with(number, procedure.asRepeatable());
        }
        return marked;
    }

    private XdrBinding with(int number, Procedure procedure) {
        IntObjectMap<Procedure> extended = new IntObjectHashMap<>();
        extended.putAll(procedures);
        extended.put(number, procedure);
        return new XdrBinding(program, version, extended);
    }

    private String name(int number) {
        return "procedure " + Integer.toUnsignedString(number) + " of " + this;
    }

    /** Returns the number of the program. */
    public int program() {
        return program;
    }

    /** Returns the version of the program. */
    public int version() {
        return version;
    }

    private @Nullable Procedure procedure(RpcCallHeader header) {
        return header.protection() == RpcCallHeader.Protection.CLEAR ? procedures.get(header.procedure()) : null;
    }

    /** Returns {@code false} for a protected call: it has a number of its own, and would be taken for a replay. */
    @Override
    public boolean isRepeatable(RpcCallHeader header, ByteBuf call) {
        Procedure procedure = procedure(header);
        return procedure != null && procedure.isRepeatable();
    }

    @Override
    public boolean mayReduceArguments(RpcCallHeader header) {
        Procedure procedure = procedure(header);
        return procedure != null && procedure.mayReduceArguments(); // V1-136
    }

    @Override
    public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        Procedure procedure = procedure(header);
        return procedure == null ? List.of() : procedure.reducibleArguments(header, call);
    }

    @Override
    public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        Procedure procedure = procedure(header);
        return procedure == null ? ReplyBounds.UNKNOWN : procedure.replyBounds(header, call);
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        Procedure procedure = procedure(header);
        return procedure == null ? List.of() : procedure.reducibleResults(reply, reduced);
    }

    /** Returns program and version. */
    @Override
    public String toString() {
        return "program " + Integer.toUnsignedString(program) + " version " + Integer.toUnsignedString(version);
    }
}
