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

import io.nettyrdma.verbs.soft.rdmap.PostTarget;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/** Posts batches, request after request; what precedes a refused one is posted. Threading: the target's. */
final class Postings {

    private Postings() {}

    static void sends(WorkRequestBatch requests, PostTarget target) throws IOException {
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest r = requests.get(i);
            target.beginSend(r.id(), r.opcode(), r.flags(), r.sgeCount(), r.remoteKey(), r.remoteAddress());
            for (int k = 0; k < r.sgeCount(); k++) {
                target.addSendSge(r.sgeAddress(k), r.sgeLength(k), r.sgeLocalKey(k));
            }
            target.commitSend();
        }
    }

    static void receives(WorkRequestBatch requests, PostTarget target) throws IOException {
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest r = requests.get(i);
            target.beginReceive(r.id(), r.sgeCount());
            for (int k = 0; k < r.sgeCount(); k++) {
                target.addReceiveSge(r.sgeAddress(k), r.sgeLength(k), r.sgeLocalKey(k));
            }
            target.commitReceive();
        }
    }
}
