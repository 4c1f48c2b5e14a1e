// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Steps that free resources one after the other. Each runs even if an earlier one failed. The first failure is kept and
 * suppresses the others.
 */
public final class EndSteps {

    /** One step. */
    public interface Step {
        /** Frees one thing; {@code Exception} because DiSNI declares it. */
        void run() throws Exception;
    }

    /** One call of DiSNI that frees a resource and returns whether it did. */
    interface Freeing {
        int run() throws Exception;
    }

    private @Nullable Throwable first;

    /** Steps that follow a failure, which stays the first. */
    static EndSteps after(Throwable failure) {
        EndSteps steps = new EndSteps();
        steps.first = failure;
        return steps;
    }

    public EndSteps then(Step step) {
        try {
            step.run();
        } catch (Throwable e) {
            if (first == null) {
                first = e;
            } else if (first != e) { // which would suppress itself
                first.addSuppressed(e);
            }
        }
        return this;
    }

    /** Adds a step that also fails if its result is not 0. */
    EndSteps thenFree(String what, Freeing step) {
        return then(() -> {
            int result = step.run();
            if (result != 0) {
                throw new IOException("the provider has not freed the " + what + ": result " + result);
            }
        });
    }

    /** Returns the first failure, or {@code null}. */
    @Nullable
    Throwable failure() {
        return first;
    }

    /**
     * Ends the steps.
     *
     * @throws IOException if one of them failed
     */
    public void end() throws IOException {
        if (first instanceof IOException io) {
            throw io;
        }
        if (first instanceof RuntimeException runtime) {
            throw runtime;
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw new IOException(first);
        }
    }
}
