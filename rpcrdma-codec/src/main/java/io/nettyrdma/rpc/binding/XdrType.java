// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An XDR type (RFC 4506), as far as a binding needs it: how to step over a value, and the longest value. Compose types
 * like the definitions in the document of a protocol, and declare a program with them by {@link XdrBinding}.
 *
 * <p>A value that leads out of its message, exceeds a limit of its type, or has a boolean or discriminant that the type
 * lacks cannot be decoded. Items before it may be reduced, items from there on may not.
 *
 * <p>Threading: immutable.
 */
public final class XdrType {

    /** The length of a type that sets no limit. Sums of a few of them stay larger than every length there is. */
    static final long UNBOUNDED = 1L << 40;

    private static final long MAX_UNSIGNED = 0xffff_ffffL;
    private static final int MAX_WORDS = 1 << 28;

    /** No data at all. */
    public static final XdrType VOID = words(0);

    /** Has no values: the default arm of a union without one. */
    public static final XdrType INVALID = new XdrType(XdrCursor::fail, new Shape(false, 0, List.of(), 0));

    /**
     * An argument: the unsigned word by which the caller limits the results, as the count of NFS's READ. It is the most
     * bytes of the reducible result. If no result is reducible, it is the most bytes of the data that the type of the
     * results leaves out, such as the entries of a directory.
     */
    public static final XdrType COUNT = new XdrType(XdrCursor::readCount, new Shape(false, 4, List.of(), 1));

    @FunctionalInterface
    private interface Step {
        /** Steps over one value, or fails the cursor. */
        void skip(XdrCursor in);
    }

    /**
     * The length of values.
     *
     * @param isEmpty    whether values have no octets at all
     * @param plainBytes octets of the longest value without the contents of reducible items and their padding
     * @param reducible  octets of the longest content of each reducible item, in their order
     * @param counts     how many {@link #COUNT} a value has at most
     */
    private record Shape(boolean isEmpty, long plainBytes, List<Long> reducible, int counts) {

        static Shape of(long plainBytes) {
            return new Shape(plainBytes == 0, Math.min(UNBOUNDED, plainBytes), List.of(), 0);
        }

        /** One behind the other. */
        Shape and(Shape next) {
            List<Long> both = new ArrayList<>(reducible);
            both.addAll(next.reducible);
            long bytes = Math.min(UNBOUNDED, plainBytes + next.plainBytes);
            return new Shape(isEmpty && next.isEmpty, bytes, List.copyOf(both), counts + next.counts);
        }

        /** Either of them: the n-th item is the n-th of the one or the other. */
        Shape or(Shape other) {
            List<Long> longest = new ArrayList<>(reducible);
            for (int i = 0; i < other.reducible.size(); i++) {
                long bytes = other.reducible.get(i);
                if (i < longest.size()) {
                    longest.set(i, Math.max(longest.get(i), bytes));
                } else {
                    longest.add(bytes);
                }
            }
            return new Shape(
                    isEmpty && other.isEmpty,
                    Math.max(plainBytes, other.plainBytes),
                    List.copyOf(longest),
                    Math.max(counts, other.counts));
        }
    }

    private final Step step;
    private final Shape shape;

    private XdrType(Step step, Shape shape) {
        this.step = step;
        this.shape = shape;
    }

    /** Steps over one value, or fails the cursor. */
    void skip(XdrCursor in) {
        step.skip(in);
    }

    /** Octets of the longest value, {@link #UNBOUNDED} or more if there is no limit. */
    long maxBytes() {
        long bytes = shape.plainBytes();
        for (long content : shape.reducible()) {
            bytes += XdrLengths.padded(content);
        }
        return bytes;
    }

    /** The same without the contents of reducible items and their padding. */
    long plainBytes() {
        return shape.plainBytes();
    }

    /**
     * Octets of the longest content of each item that may be reduced, in their order, {@link #UNBOUNDED} if there is no
     * limit.
     */
    List<Long> reducibleBytes() {
        return shape.reducible();
    }

    /** How many {@link #COUNT} a value has at most. */
    int counts() {
        return shape.counts();
    }

    /**
     * Returns the type of fixed-length data: integers, enumerations, booleans, fixed-length opaque data and structures
     * of them. A hyper has two words, 13 bytes of opaque data have four.
     *
     * @param count words of four bytes, 0 to 2<sup>28</sup>
     * @throws IllegalArgumentException if out of range
     */
    public static XdrType words(int count) {
        long bytes = 4L * Ranges.require("words", count, 0, MAX_WORDS);
        return new XdrType(in -> in.skip(bytes), Shape.of(bytes));
    }

    /** Returns the type of variable-length opaque data, or of a string, without a limit. */
    public static XdrType opaque() {
        return ofOpaque(UNBOUNDED);
    }

    /**
     * Returns the type of variable-length opaque data, or of a string.
     *
     * @param limit bytes of the longest content, 0 to 2<sup>32</sup>-1
     * @throws IllegalArgumentException if out of range
     */
    public static XdrType opaque(long limit) {
        return ofOpaque(Ranges.require("limit", limit, 0, MAX_UNSIGNED));
    }

    private static XdrType ofOpaque(long limit) {
        return new XdrType(in -> in.skipOpaque(limit), Shape.of(4 + XdrLengths.padded(limit)));
    }

    /**
     * Returns the type of variable-length opaque data, or of a string, that the binding allows to be reduced: it may
     * travel in a chunk. As a result without a limit, it needs a {@link #COUNT}.
     */
    public static XdrType reducible() {
        return ofReducible(UNBOUNDED);
    }

    /**
     * As {@link #reducible()}, with a limit.
     *
     * @param expectedBytes bytes of the longest content to expect, 0 to 2<sup>31</sup>-1. A requester provides that
     *                      much memory for a result. Longer data can be decoded, too, and may be reduced
     * @throws IllegalArgumentException if out of range
     */
    public static XdrType reducible(long expectedBytes) {
        return ofReducible(Ranges.require("expectedBytes", expectedBytes, 0, Integer.MAX_VALUE));
    }

    /** Nothing else is ever reduced. */
    private static XdrType ofReducible(long expectedBytes) { // V1-028
        return new XdrType(XdrCursor::skipReducible, new Shape(false, 4, List.of(expectedBytes), 0));
    }

    /** Returns the type of a structure: of these members, one behind the other. */
    public static XdrType struct(XdrType... members) {
        XdrType[] all = members.clone();
        Shape shape = VOID.shape;
        for (XdrType member : all) {
            shape = shape.and(member.shape);
        }
        return new XdrType(
                in -> {
                    for (XdrType member : all) {
                        member.skip(in);
                    }
                },
                shape);
    }

    /** Returns the type of a variable-length array without a limit. See {@link #array(XdrType, long)}. */
    public static XdrType array(XdrType element) {
        return ofArray(element, UNBOUNDED);
    }

    /**
     * Returns the type of a variable-length array.
     *
     * @param element of at least one word, without reducible data or {@link #COUNT}: their number would be unknown
     * @param limit   the most elements, 0 to 2<sup>32</sup>-1
     * @throws IllegalArgumentException if the element is another one, or the limit out of range
     */
    public static XdrType array(XdrType element, long limit) {
        return ofArray(element, Ranges.require("limit", limit, 0, MAX_UNSIGNED));
    }

    private static XdrType ofArray(XdrType element, long limit) {
        requirePlain("element", element);
        if (element.shape.isEmpty()) { // a few octets of a message would be billions of steps
            throw new IllegalArgumentException("element: 0 bytes (expected: 4 or more)");
        }
        boolean bounded = limit <= UNBOUNDED / Math.max(4, element.maxBytes());
        return new XdrType(
                in -> {
                    long count = in.readUnsigned();
                    if (count > limit) {
                        in.fail();
                    }
                    for (long i = 0; i < count && !in.failed(); i++) {
                        element.skip(in);
                    }
                },
                Shape.of(bounded ? 4 + limit * element.maxBytes() : UNBOUNDED));
    }

    /**
     * Returns the type of a linked list: elements, each announced by a boolean. It has no limit.
     *
     * @param element without reducible data or {@link #COUNT}: their number would be unknown
     * @throws IllegalArgumentException if the element is another one
     */
    public static XdrType list(XdrType element) {
        requirePlain("element", element);
        return new XdrType(
                in -> {
                    while (in.readBoolean()) {
                        element.skip(in);
                    }
                },
                Shape.of(UNBOUNDED));
    }

    /**
     * Returns the same type with another bound, for results whose protocol sets none, or one that is never reached. A
     * requester provides memory for this much. Longer values can be decoded, too.
     *
     * @param type     without reducible data, whose bound is an argument of {@link #reducible(long)}, or {@link #COUNT}
     * @param maxBytes bytes of the longest value to expect, lengths and padding included, 0 to 2<sup>31</sup>-1
     * @throws IllegalArgumentException if the type is another one, or the bound out of range
     */
    public static XdrType expected(XdrType type, long maxBytes) {
        requirePlain("type", type);
        long bytes = Ranges.require("maxBytes", maxBytes, 0, Integer.MAX_VALUE);
        return new XdrType(type.step, new Shape(type.shape.isEmpty(), bytes, List.of(), 0));
    }

    private static void requirePlain(String name, XdrType type) {
        if (!type.reducibleBytes().isEmpty() || type.counts() > 0) {
            throw new IllegalArgumentException(
                    name + ": " + type + " (expected: no reducible data and no COUNT; place them outside of it)");
        }
    }

    /** Returns the type of optional data: a boolean, then the data if it is true. */
    public static XdrType optional(XdrType type) {
        return new XdrType(
                in -> {
                    if (in.readBoolean()) {
                        type.skip(in);
                    }
                },
                words(1).shape.and(type.shape));
    }

    /**
     * Returns the type of a union.
     *
     * @param arms      by their discriminants
     * @param otherwise the default arm; {@link #INVALID} if the union has none
     */
    public static XdrType union(Map<Integer, XdrType> arms, XdrType otherwise) {
        Map<Integer, XdrType> all = Map.copyOf(arms);
        Shape longest = otherwise.shape;
        for (XdrType arm : all.values()) {
            longest = longest.or(arm.shape);
        }
        return new XdrType(
                in -> {
                    int discriminant = in.readInt();
                    if (!in.failed()) {
                        all.getOrDefault(discriminant, otherwise).skip(in);
                    }
                },
                words(1).shape.and(longest));
    }

    /** Returns the union of most results: a status, then {@code ok} if it is 0, {@code failure} otherwise. */
    public static XdrType result(XdrType ok, XdrType failure) {
        return union(Map.of(0, ok), failure);
    }

    /** The longest value, for error messages. */
    @Override
    public String toString() {
        String bytes = plainBytes() < UNBOUNDED ? plainBytes() + " bytes" : "any number of bytes";
        return bytes + ", " + reducibleBytes().size() + " reducible, " + counts() + " COUNT";
    }
}
