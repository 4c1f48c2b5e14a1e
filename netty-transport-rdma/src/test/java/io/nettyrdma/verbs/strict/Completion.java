// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvWC;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A completion between the provider and the program. */
final class Completion {

    /** What the provider has told. */
    record Fields(long id, int status, int opcode, int bytes, int immediate, int queuePair, int flags) {}

    final PostedRequest request;
    final long number;
    private final Fields fields;
    int status;
    /** Polls that do not see it. */
    int heldFor;

    private byte @Nullable [] held;

    Completion(PostedRequest request, long number, Fields fields, int status) {
        this.request = request;
        this.number = number;
        this.fields = fields;
        this.status = status;
    }

    /** Takes what was read out of the sink, until {@link #deliver}. */
    void holdBack(Random random) {
        StrictMr sink = request.sink;
        if (sink != null && sink.isOpen()) {
            held = sink.copy(request.sinkAddress, request.sinkBytes);
            sink.spoil(request.sinkAddress, request.sinkBytes, random);
        }
    }

    /** The program hears of it, or could: from now on the octets of a Read are there. */
    void deliver() {
        StrictMr sink = request.sink;
        if (held != null && sink != null && sink.isOpen()) {
            sink.put(request.sinkAddress, held);
        }
        held = null;
        request.done();
    }

    boolean isVisible() {
        return request.signalled || status != 0;
    }

    void to(IbvWC wc, boolean failedFieldsUndefined, Random random) {
        wc.setWr_id(request.wrId);
        wc.setStatus(status);
        wc.setErr(status);
        boolean garbage = status != 0 && failedFieldsUndefined;
        wc.setOpcode(garbage ? random.nextInt(256) : fields.opcode());
        wc.setByte_len(garbage ? random.nextInt() : fields.bytes());
        wc.setImm_data(garbage ? random.nextInt() : fields.immediate());
        wc.setQp_num(garbage ? random.nextInt() : fields.queuePair());
        wc.setWc_flags(garbage ? random.nextInt(16) : fields.flags());
        wc.setVendor_err(0);
        wc.setSrc_qp(0);
    }
}
