// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.List;

/**
 * A list of send work requests in DiSNI's style. The constructor copies the list. The
 * call may be changed and executed any number of times.
 *
 * <p>Threading: confined to the thread that posts.
 */
final class ListedSends extends SVCPostSend {

    /** Posts requests in their order, all or those before the one that is refused. */
    interface Post {
        void post(WorkRequestBatch requests) throws IOException;
    }

    private final IbvQP qp;
    private final Post post;
    private final Request[] requests;
    private final WorkRequestBatch batch;

    /** Copies the list. */
    ListedSends(IbvQP qp, List<IbvSendWR> list, Post post) {
        this.qp = qp;
        this.post = post;
        requests = list.stream().map(Request::new).toArray(Request[]::new);
        batch = new WorkRequestBatch(requests.length);
    }

    @Override
    public SVCPostSend execute() throws IOException {
        batch.clear();
        for (Request request : requests) {
            request.addTo(batch);
        }
        post.post(batch);
        return this;
    }

    @Override
    public SendWRMod getWrMod(int index) throws IOException {
        if (index < 0 || index >= requests.length) {
            throw new IOException("work request: " + index + " (expected: 0 to " + (requests.length - 1) + ')');
        }
        return requests[index];
    }

    @Override
    public boolean isValid() {
        return qp.isOpen();
    }

    @Override
    public SVCPostSend free() {
        return this;
    }

    private static final class Request implements SendWRMod, RdmaMod {
        private final int opcode;
        private final int immediate;
        private final Entry[] entries;
        private long id;
        private int flags;
        private long remoteAddress;
        private int remoteKey;
        private int reserved;

        Request(IbvSendWR wr) {
            id = wr.getWr_id();
            opcode = wr.getOpcode();
            flags = wr.getSend_flags();
            immediate = wr.getImm_data();
            remoteAddress = wr.getRdma().getRemote_addr();
            remoteKey = wr.getRdma().getRkey();
            reserved = wr.getRdma().getReserved();
            List<IbvSge> list = wr.getSg_list();
            entries = new Entry[list == null ? 0 : list.size()];
            for (int i = 0; i < entries.length; i++) {
                entries[i] = new Entry(wr.getSge(i));
            }
        }

        void addTo(WorkRequestBatch batch) {
            // libibverbs: a union of imm_data and invalidate_rkey, so DiSNI's only place for the key is imm_data.
            int key = opcode == VerbsConstants.WR_SEND_WITH_INV ? immediate : remoteKey;
            WorkRequest request = batch.add()
                    .send(id, opcode, flags)
                    .remote(key, remoteAddress)
                    .immediate(immediate);
            for (Entry e : entries) {
                request.local(e.address, e.length, e.key);
            }
        }

        @Override
        public void setWr_id(long value) {
            id = value;
        }

        @Override
        public void setSend_flags(int value) {
            flags = value;
        }

        @Override
        public long getWr_id() {
            return id;
        }

        @Override
        public int getNum_sge() {
            return entries.length;
        }

        @Override
        public int getOpcode() {
            return opcode;
        }

        @Override
        public int getSend_flags() {
            return flags;
        }

        @Override
        public RdmaMod getRdmaMod() {
            return this;
        }

        @Override
        public SgeMod getSgeMod(int index) {
            return entries[index];
        }

        @Override
        public void setRemote_addr(long value) {
            remoteAddress = value;
        }

        @Override
        public long getRemote_addr() {
            return remoteAddress;
        }

        @Override
        public void setRkey(int value) {
            remoteKey = value;
        }

        @Override
        public int getRkey() {
            return remoteKey;
        }

        @Override
        public void setReserved(int value) {
            reserved = value;
        }

        @Override
        public int getReserved() {
            return reserved;
        }
    }

    private static final class Entry implements SgeMod {
        private long address;
        private int length;
        private int key;

        Entry(IbvSge sge) {
            address = sge.getAddr();
            length = sge.getLength();
            key = sge.getLkey();
        }

        @Override
        public void setAddr(long value) {
            address = value;
        }

        @Override
        public long getAddr() {
            return address;
        }

        @Override
        public void setLength(int value) {
            length = value;
        }

        @Override
        public int getLength() {
            return length;
        }

        @Override
        public void setLkey(int value) {
            key = value;
        }

        @Override
        public int getLkey() {
            return key;
        }
    }
}
