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
package io.nettyrdma.rpc.binding;

import io.nettyrdma.rpc.message.Xdr;
import java.util.Map;

/**
 * An XDR type, as far as a binding has to know it: how to step over a value of it, and how long a value can get. Types
 * are put together like the definitions in the protocols' documents.
 *
 * <p>Threading: immutable.
 */
interface XdrType {

    /** The length of a type that sets no limit. Sums of a few of them stay larger than every length there is. */
    long UNBOUNDED = 1L << 40;

    /** No data at all. */
    XdrType VOID = words(0);

    /** What no value has: the arms that a union without default does not have. */
    XdrType INVALID = new Plain(0) {
        @Override
        public void skip(XdrCursor in) {
            in.fail();
        }
    };

    /** Steps over one value, or fails the cursor. */
    void skip(XdrCursor in);

    /** Octets of the longest value, {@link #UNBOUNDED} or more if there is no limit. */
    long maxBytes();

    /** Fixed-length data of so many words: integers, enumerations, fixed-length opaque data and structures of them. */
    static XdrType words(int count) {
        return new Plain(4L * count) {
            @Override
            public void skip(XdrCursor in) {
                in.skip(4L * count);
            }
        };
    }

    /** Variable-length opaque data or a string of any length. */
    static XdrType opaque() {
        return opaque(UNBOUNDED);
    }

    /** Variable-length opaque data or a string of limited length. */
    static XdrType opaque(long limit) {
        return new Plain(4 + Xdr.padded(limit)) {
            @Override
            public void skip(XdrCursor in) {
                in.skipOpaque(limit);
            }
        };
    }

    /**
     * Variable-length opaque data that the binding allows to be reduced; nothing else ever is.
     *
     * @param expectedBytes the longest content to reckon with; 0 if the call tells. Longer data is stepped over as well
     */
    static XdrType reducible(long expectedBytes) { // V1-028
        return new Plain(4 + Xdr.padded(expectedBytes)) {
            @Override
            public void skip(XdrCursor in) {
                in.skipReducible();
            }
        };
    }

    /** A structure. */
    static XdrType struct(XdrType... members) {
        long sum = 0;
        for (XdrType member : members) {
            sum = Math.min(UNBOUNDED, sum + member.maxBytes());
        }
        return new Plain(sum) {
            @Override
            public void skip(XdrCursor in) {
                for (XdrType member : members) {
                    member.skip(in);
                }
            }
        };
    }

    /** A variable-length array of any length. */
    static XdrType array(XdrType element) {
        return array(element, UNBOUNDED);
    }

    /** A variable-length array of at most so many elements, none of which is empty. */
    static XdrType array(XdrType element, long limit) {
        boolean bounded = limit <= UNBOUNDED / Math.max(4, element.maxBytes());
        return new Plain(bounded ? 4 + limit * element.maxBytes() : UNBOUNDED) {
            @Override
            public void skip(XdrCursor in) {
                long count = in.readUnsigned();
                if (count > limit) {
                    in.fail();
                }
                for (long i = 0; i < count && !in.failed(); i++) {
                    element.skip(in);
                }
            }
        };
    }

    /** A linked list: elements, each announced by a word. */
    static XdrType list(XdrType element) {
        return new Plain(UNBOUNDED) {
            @Override
            public void skip(XdrCursor in) {
                while (in.readBoolean()) {
                    element.skip(in);
                }
            }
        };
    }

    /** The same type, of which no value should be longer than so many octets. Longer ones are stepped over as well. */
    static XdrType expected(XdrType type, long maxBytes) {
        return new Plain(maxBytes) {
            @Override
            public void skip(XdrCursor in) {
                type.skip(in);
            }
        };
    }

    /** Optional data. */
    static XdrType optional(XdrType type) {
        return new Plain(4 + type.maxBytes()) {
            @Override
            public void skip(XdrCursor in) {
                if (in.readBoolean()) {
                    type.skip(in);
                }
            }
        };
    }

    /** A union of arms by their discriminants, with a default arm. */
    static XdrType union(Map<Integer, XdrType> arms, XdrType otherwise) {
        long longest = otherwise.maxBytes();
        for (XdrType arm : arms.values()) {
            longest = Math.max(longest, arm.maxBytes());
        }
        return new Plain(4 + longest) {
            @Override
            public void skip(XdrCursor in) {
                int discriminant = in.readInt();
                if (!in.failed()) {
                    arms.getOrDefault(discriminant, otherwise).skip(in);
                }
            }
        };
    }

    /** The union of most results: a status, then the result if it is 0, something else otherwise. */
    static XdrType result(XdrType ok, XdrType failure) {
        return union(Map.of(0, ok), failure);
    }

    /** A type with a limit that is known beforehand. */
    abstract class Plain implements XdrType {
        private final long maxBytes;

        Plain(long maxBytes) {
            this.maxBytes = maxBytes;
        }

        @Override
        public final long maxBytes() {
            return maxBytes;
        }
    }
}
