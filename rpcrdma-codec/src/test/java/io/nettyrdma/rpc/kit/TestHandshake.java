// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_AUTHENTICATED;

import io.nettyrdma.rpc.authentication.Handshake;
import io.nettyrdma.rpc.authentication.HandshakeStep;
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import java.util.Arrays;
import java.util.function.Supplier;

/** Each side sends a token in every round and checks those of its peer; the requester speaks first. */
public final class TestHandshake implements Handshake {

    private final RpcRdmaRole role;
    private final int rounds;
    private final int tokenBytes;
    private final int wrongRound;
    private int round;

    private TestHandshake(RpcRdmaRole role, int rounds, int tokenBytes, int wrongRound) {
        this.role = role;
        this.rounds = rounds;
        this.tokenBytes = tokenBytes;
        this.wrongRound = wrongRound;
    }

    public static HostAuthentication of(int rounds, int tokenBytes) {
        return (role, peer) -> new TestHandshake(role, rounds, tokenBytes, 0);
    }

    /** Sends a wrong token in one round, counted from 1. */
    public static HostAuthentication wrongIn(int round, int rounds) {
        return (role, peer) -> new TestHandshake(role, rounds, 8, round);
    }

    /** Is never done, and sends nothing. */
    public static Handshake waiting() {
        return starting(HandshakeStep::goOn);
    }

    /** Sends a token and demands none. */
    public static Handshake presenting(int tokenBytes) {
        return starting(() -> HandshakeStep.done(new byte[tokenBytes]));
    }

    /** Begins with a step, and then waits. */
    public static Handshake starting(Supplier<HandshakeStep> step) {
        return new Handshake() {
            @Override
            public HandshakeStep start() {
                return step.get();
            }

            @Override
            public HandshakeStep receive(byte[] token) {
                return HandshakeStep.goOn();
            }
        };
    }

    public static byte[] token(RpcRdmaRole role, int round, int bytes) {
        byte[] token = new byte[bytes];
        Arrays.fill(token, (byte) (2 * round + role.ordinal()));
        return token;
    }

    private byte[] own(int round) {
        return token(role, round == wrongRound ? 99 : round, tokenBytes);
    }

    @Override
    public HandshakeStep start() {
        return role == RpcRdmaRole.REQUESTER ? HandshakeStep.goOn(own(1)) : HandshakeStep.goOn();
    }

    @Override
    public HandshakeStep receive(byte[] token) throws ConnectionFailedException {
        round++;
        if (!Arrays.equals(token, token(role.opposite(), round, tokenBytes))) {
            throw new ConnectionFailedException(NOT_AUTHENTICATED, "wrong token in round " + round);
        }
        if (role == RpcRdmaRole.REQUESTER) {
            return round == rounds ? HandshakeStep.done() : HandshakeStep.goOn(own(round + 1));
        }
        return round == rounds ? HandshakeStep.done(own(round)) : HandshakeStep.goOn(own(round));
    }
}
