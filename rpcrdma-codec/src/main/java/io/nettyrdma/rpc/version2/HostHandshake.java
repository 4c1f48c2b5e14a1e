// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.authentication.Handshake;
import io.nettyrdma.rpc.authentication.HandshakeStep;
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.net.SocketAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of the program's hook, in tokens that travel with the properties (draft -01, section 5.2.6; C56).
 * Without a hook this side sends no tokens and ignores those of the peer.
 *
 * <p>Threading: confined to one thread.
 */
final class HostHandshake {

    private interface Question {
        HandshakeStep ask() throws ConnectionFailedException;
    }

    private final @Nullable HostAuthentication hook;
    private final OwnProperties own;
    private @Nullable Handshake handshake;
    private boolean heard;
    private boolean done;

    /** @param own takes the tokens of this side */
    HostHandshake(@Nullable HostAuthentication hook, OwnProperties own) {
        this.hook = hook;
        this.own = own;
    }

    /** Whether this side has accepted its peer. */
    boolean isDone() {
        return done;
    }

    /** Begins, on the side that speaks first, and on the other when it answers. */
    void start(RpcRdmaRole role, @Nullable SocketAddress peer) throws ConnectionFailedException {
        HostAuthentication authentication = hook;
        if (authentication == null) {
            take(HandshakeStep.done());
            return;
        }
        take(ask(() -> {
            Handshake begun = Objects.requireNonNull(authentication.begin(role, peer), "no handshake");
            handshake = begun;
            return begun.start();
        }));
    }

    /** The peer has sent a token. */
    void receive(byte[] token) throws ConnectionFailedException {
        Handshake present = handshake;
        if (!done && present != null) {
            heard = true;
            take(ask(() -> present.receive(token))); // V2-092, V2-187
        }
    }

    /** The peer sends no further tokens. */
    void onPeerFinal() throws ConnectionFailedException {
        if (!done) {
            throw new ConnectionFailedException(
                    Reason.NOT_AUTHENTICATED,
                    heard
                            ? "the peer has ended host authentication before this side accepts it"
                            : "the peer does not take part in host authentication, which this side demands"); // V2-092
        }
    }

    private void take(HandshakeStep step) {
        byte[] token = step.token();
        if (token != null) {
            own.add(List.of(TransportProperty.hostAuthentication(token)));
        }
        if (step.isDone()) {
            done = true;
            own.complete(); // V2-187
        }
    }

    private static HandshakeStep ask(Question question) throws ConnectionFailedException {
        try {
            return Objects.requireNonNull(question.ask(), "no step");
        } catch (ConnectionFailedException e) {
            throw e;
        } catch (Throwable e) { // of the program, whatever it is: it lets no peer in
            ConnectionFailedException failure = new ConnectionFailedException(
                    Reason.NOT_AUTHENTICATED, "the hook of RpcRdmaVersion2Settings.hostAuthentication fails: " + e);
            failure.initCause(e);
            throw failure;
        }
    }
}
