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
package io.nettyrdma.examples.nfs;

import io.nettyrdma.examples.nfs.Arguments.GarbageException;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** The procedures of NFS version 3, in the order of their numbers (RFC 1813, section 3.3). */
enum Nfs3Procedure {
    NULL(Failure.NOTHING, Names.UNUSED, Repeat.HARMLESS, call -> {}),
    GETATTR(Failure.NOTHING, Names.USED, Repeat.HARMLESS, AttributeProcedures::getattr),
    SETATTR(Failure.WCC, Names.UNUSED, Repeat.WRONG, AttributeProcedures::setattr),
    LOOKUP(Failure.POST_OP, Names.USED, Repeat.HARMLESS, NameProcedures::lookup),
    ACCESS(Failure.POST_OP, Names.USED, Repeat.HARMLESS, AttributeProcedures::access),
    READLINK(Failure.POST_OP, Names.USED, Repeat.HARMLESS, NameProcedures::readlink),
    READ(Failure.POST_OP, Names.UNUSED, Repeat.HARMLESS, DataProcedures::read),
    WRITE(Failure.WCC, Names.UNUSED, Repeat.HARMLESS, DataProcedures::write),
    CREATE(Failure.WCC, Names.CHANGED, Repeat.WRONG, CreateProcedures::create),
    MKDIR(Failure.WCC, Names.CHANGED, Repeat.WRONG, CreateProcedures::mkdir),
    SYMLINK(Failure.WCC, Names.CHANGED, Repeat.WRONG, CreateProcedures::symlink),
    MKNOD(Failure.WCC, Names.CHANGED, Repeat.WRONG, CreateProcedures::mknod),
    REMOVE(Failure.WCC, Names.CHANGED, Repeat.WRONG, NameProcedures::remove),
    RMDIR(Failure.WCC, Names.CHANGED, Repeat.WRONG, NameProcedures::rmdir),
    RENAME(Failure.TWO_WCC, Names.CHANGED, Repeat.WRONG, NameProcedures::rename),
    LINK(Failure.POST_OP_AND_WCC, Names.CHANGED, Repeat.WRONG, NameProcedures::link),
    READDIR(Failure.POST_OP, Names.USED, Repeat.HARMLESS, DirectoryProcedures::readdir),
    READDIRPLUS(Failure.POST_OP, Names.USED, Repeat.HARMLESS, DirectoryProcedures::readdirplus),
    FSSTAT(Failure.POST_OP, Names.USED, Repeat.HARMLESS, AttributeProcedures::fsstat),
    FSINFO(Failure.POST_OP, Names.USED, Repeat.HARMLESS, AttributeProcedures::fsinfo),
    PATHCONF(Failure.POST_OP, Names.USED, Repeat.HARMLESS, AttributeProcedures::pathconf),
    COMMIT(Failure.WCC, Names.UNUSED, Repeat.HARMLESS, DataProcedures::commit);

    /** What follows the status of a failed call. */
    private enum Failure {
        NOTHING,
        POST_OP,
        WCC,
        TWO_WCC,
        POST_OP_AND_WCC
    }

    /** What a procedure does to the names of the export; those that take locks themselves say UNUSED. */
    private enum Names {
        UNUSED,
        USED,
        CHANGED
    }

    /** What comes of executing a call twice. */
    private enum Repeat {
        HARMLESS,
        WRONG
    }

    /** Reads arguments and writes what follows the status of a call that succeeds. */
    private interface Body {
        void execute(NfsCall call) throws IOException, NfsException, GarbageException;
    }

    private static final Nfs3Procedure[] ALL = values();

    private final Failure failure;
    private final Names names;
    private final Repeat repeat;
    private final Body body;

    Nfs3Procedure(Failure failure, Names names, Repeat repeat, Body body) {
        this.failure = failure;
        this.names = names;
        this.repeat = repeat;
        this.body = body;
    }

    static @Nullable Nfs3Procedure of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : null;
    }

    /** Whether a client that asks again after a lost reply has to get that reply, not another execution. */
    boolean isRepeatWrong() {
        return repeat == Repeat.WRONG;
    }

    /** Executes a call and writes its result, status first. */
    NfsStatus execute(NfsCall call) throws GarbageException {
        if (this == NULL) {
            return NfsStatus.OK; // the only result without a status
        }
        int start = call.out.writerIndex();
        NfsStatus status;
        try {
            call.out.writeInt(NfsStatus.OK.code());
            status = executeLocked(call, start);
            if (status == NfsStatus.OK) {
                call.finish();
            }
            return status;
        } catch (IOException e) { // from finish: it is not on stable storage
            status = NfsStatus.of(e);
            fail(call, start, status);
            return status;
        } finally {
            call.close();
        }
    }

    /** Ends a call that is not executed. */
    void refuse(NfsCall call, NfsStatus status) {
        if (this != NULL) {
            fail(call, call.out.writerIndex(), status);
        }
    }

    private NfsStatus executeLocked(NfsCall call, int start) throws GarbageException, IOException {
        @Nullable
        Lock lock =
                switch (names) {
                    case UNUSED -> null;
                    case USED -> call.store.names().readLock();
                    case CHANGED -> call.store.names().writeLock();
                };
        if (lock != null) {
            lock.lock();
        }
        NfsStatus status = NfsStatus.OK;
        try {
            body.execute(call);
        } catch (NfsException e) {
            status = e.status();
        } catch (IOException e) {
            status = NfsStatus.of(e);
        } finally {
            try {
                if (status != NfsStatus.OK) {
                    fail(call, start, status);
                }
            } finally {
                if (lock != null) {
                    lock.unlock();
                }
            }
        }
        return status;
    }

    private void fail(NfsCall call, int start, NfsStatus status) {
        call.out.writerIndex(start).writeInt(status.code());
        switch (failure) {
            case NOTHING -> {}
            case POST_OP -> call.writePostOp(0);
            case WCC -> call.writeWcc(0);
            case TWO_WCC -> {
                call.writeWcc(0);
                call.writeWcc(1);
            }
            case POST_OP_AND_WCC -> {
                call.writePostOp(0);
                call.writeWcc(1);
            }
        }
    }
}
