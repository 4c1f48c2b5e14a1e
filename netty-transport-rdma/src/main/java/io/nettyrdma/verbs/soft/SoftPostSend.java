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
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.verbs.VerbsConstants;
import io.nettyrdma.verbs.soft.rdmap.PostTarget;
import java.io.IOException;
import java.util.List;

/**
 * A list of send work requests, copied when the call is made, that may be changed and executed any number of times.
 *
 * <p>Threading: confined to the thread that posts.
 */
final class SoftPostSend extends SVCPostSend implements PostTarget.Posting {

    private final SoftQp qp;
    private final Request[] requests;

    SoftPostSend(SoftQp qp, List<IbvSendWR> list) {
        this.qp = qp;
        requests = new Request[list.size()];
        int i = 0;
        for (IbvSendWR wr : list) {
            requests[i++] = new Request(wr);
        }
    }

    @Override
    public SVCPostSend execute() throws IOException {
        qp.postSends(this);
        return this;
    }

    @Override
    public void to(PostTarget target) throws IOException {
        for (Request r : requests) {
            r.post(target);
        }
    }

    @Override
    public SendWRMod getWrMod(int index) throws IOException {
        if (index < 0 || index >= requests.length) {
            throw new IOException("work request " + index + " of " + requests.length);
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

        void post(PostTarget target) throws IOException {
            // libibverbs: a union of imm_data and invalidate_rkey, so DiSNI's only place for the key is imm_data.
            int key = opcode == VerbsConstants.WR_SEND_WITH_INV ? immediate : remoteKey;
            target.beginSend(id, opcode, flags, entries.length, key, remoteAddress);
            for (Entry e : entries) {
                target.addSendSge(e.address, e.length, e.key);
            }
            target.commitSend();
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
