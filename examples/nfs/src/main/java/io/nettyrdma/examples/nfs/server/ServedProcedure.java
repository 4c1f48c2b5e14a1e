// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Arguments.GarbageException;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** How the server executes a procedure. */
final class ServedProcedure {

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

    /** Reads arguments and writes what follows the status of a call that succeeds. */
    private interface Body {
        void execute(NfsCall call) throws IOException, NfsException, GarbageException;
    }

    private static final Map<Nfs3Procedure, ServedProcedure> ALL = new EnumMap<>(Nfs3Procedure.class);

    static {
        for (Nfs3Procedure procedure : Nfs3Procedure.values()) {
            ALL.put(procedure, serve(procedure));
        }
    }

    private static ServedProcedure serve(Nfs3Procedure procedure) {
        return switch (procedure) {
            case NULL -> repeatable(procedure, Failure.NOTHING, Names.UNUSED, call -> {});
            case GETATTR -> repeatable(procedure, Failure.NOTHING, Names.USED, AttributeProcedures::getattr);
            case SETATTR -> once(procedure, Failure.WCC, Names.UNUSED, AttributeProcedures::setattr);
            case LOOKUP -> repeatable(procedure, Failure.POST_OP, Names.USED, NameProcedures::lookup);
            case ACCESS -> repeatable(procedure, Failure.POST_OP, Names.USED, AttributeProcedures::access);
            case READLINK -> repeatable(procedure, Failure.POST_OP, Names.USED, NameProcedures::readlink);
            case READ -> repeatable(procedure, Failure.POST_OP, Names.UNUSED, DataProcedures::read);
            case WRITE -> repeatable(procedure, Failure.WCC, Names.UNUSED, DataProcedures::write);
            case CREATE -> once(procedure, Failure.WCC, Names.CHANGED, CreateProcedures::create);
            case MKDIR -> once(procedure, Failure.WCC, Names.CHANGED, CreateProcedures::mkdir);
            case SYMLINK -> once(procedure, Failure.WCC, Names.CHANGED, CreateProcedures::symlink);
            case MKNOD -> once(procedure, Failure.WCC, Names.CHANGED, CreateProcedures::mknod);
            case REMOVE -> once(procedure, Failure.WCC, Names.CHANGED, NameProcedures::remove);
            case RMDIR -> once(procedure, Failure.WCC, Names.CHANGED, NameProcedures::rmdir);
            case RENAME -> once(procedure, Failure.TWO_WCC, Names.CHANGED, NameProcedures::rename);
            case LINK -> once(procedure, Failure.POST_OP_AND_WCC, Names.CHANGED, NameProcedures::link);
            case READDIR -> repeatable(procedure, Failure.POST_OP, Names.USED, DirectoryProcedures::readdir);
            case READDIRPLUS -> repeatable(procedure, Failure.POST_OP, Names.USED, DirectoryProcedures::readdirplus);
            case FSSTAT -> repeatable(procedure, Failure.POST_OP, Names.USED, AttributeProcedures::fsstat);
            case FSINFO -> repeatable(procedure, Failure.POST_OP, Names.USED, AttributeProcedures::fsinfo);
            case PATHCONF -> repeatable(procedure, Failure.POST_OP, Names.USED, AttributeProcedures::pathconf);
            case COMMIT -> repeatable(procedure, Failure.WCC, Names.UNUSED, DataProcedures::commit);
        };
    }

    private static ServedProcedure repeatable(Nfs3Procedure procedure, Failure failure, Names names, Body body) {
        return new ServedProcedure(procedure, failure, names, false, body);
    }

    private static ServedProcedure once(Nfs3Procedure procedure, Failure failure, Names names, Body body) {
        return new ServedProcedure(procedure, failure, names, true, body);
    }

    private final Nfs3Procedure procedure;
    private final Failure failure;
    private final Names names;
    private final boolean repeatWrong;
    private final Body body;

    private ServedProcedure(Nfs3Procedure procedure, Failure failure, Names names, boolean repeatWrong, Body body) {
        this.procedure = procedure;
        this.failure = failure;
        this.names = names;
        this.repeatWrong = repeatWrong;
        this.body = body;
    }

    /** The procedure of a number, if there is one. */
    static @Nullable ServedProcedure of(int number) {
        Nfs3Procedure procedure = Nfs3Procedure.of(number);
        return procedure == null ? null : ALL.get(procedure);
    }

    /** Whether a client that asks again after a lost reply has to get that reply, not another execution. */
    boolean isRepeatWrong() {
        return repeatWrong;
    }

    /** Executes a call and writes its result, status first. */
    Nfs3Status execute(NfsCall call) throws GarbageException {
        if (procedure == Nfs3Procedure.NULL) {
            return Nfs3Status.OK; // the only result without a status
        }
        int start = call.out.writerIndex();
        Nfs3Status status;
        try {
            call.out.writeInt(Nfs3Status.OK.code());
            status = executeLocked(call, start);
            if (status == Nfs3Status.OK) {
                call.finish();
            }
            return status;
        } catch (IOException e) { // from finish: it is not on stable storage
            status = HostErrors.status(e);
            fail(call, start, status);
            return status;
        } finally {
            call.close();
        }
    }

    /** Ends a call that is not executed. */
    void refuse(NfsCall call, Nfs3Status status) {
        if (procedure != Nfs3Procedure.NULL) {
            fail(call, call.out.writerIndex(), status);
        }
    }

    private Nfs3Status executeLocked(NfsCall call, int start) throws GarbageException, IOException {
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
        Nfs3Status status = Nfs3Status.OK;
        try {
            body.execute(call);
        } catch (NfsException e) {
            status = e.status();
        } catch (IOException e) {
            status = HostErrors.status(e);
        } finally {
            try {
                if (status != Nfs3Status.OK) {
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

    private void fail(NfsCall call, int start, Nfs3Status status) {
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

    @Override
    public String toString() {
        return procedure.name();
    }
}
