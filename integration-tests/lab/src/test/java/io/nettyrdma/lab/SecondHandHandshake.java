// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_AUTHENTICATED;

import io.nettyrdma.rpc.authentication.Handshake;
import io.nettyrdma.rpc.authentication.HandshakeStep;
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The handshake of {@code v2peer --handshake}. A token is its round and a proof, made of a secret and the proof of the
 * token before; the requester sends the first one.
 */
final class SecondHandHandshake implements Handshake {

    private static final int TOKEN_BYTES = 8;
    private static final int FACTOR = 31;

    private final RpcRdmaRole role;
    private final int tokens;
    private final int secret;
    private int sent;
    private int taken;
    private int proof;

    private SecondHandHandshake(RpcRdmaRole role, int tokens, int secret) {
        this.role = role;
        this.tokens = tokens;
        this.secret = secret;
    }

    /** @param tokens of each side */
    static HostAuthentication of(int tokens, int secret) {
        return (role, peer) -> new SecondHandHandshake(role, tokens, secret);
    }

    private byte[] nextToken() {
        sent++;
        proof = secret + FACTOR * proof;
        return ByteBuffer.allocate(TOKEN_BYTES).putInt(sent).putInt(proof).array();
    }

    @Override
    public HandshakeStep start() {
        return role == RpcRdmaRole.REQUESTER ? HandshakeStep.goOn(nextToken()) : HandshakeStep.goOn();
    }

    @Override
    public HandshakeStep receive(byte[] token) throws ConnectionFailedException {
        taken++;
        proof = secret + FACTOR * proof;
        byte[] due =
                ByteBuffer.allocate(TOKEN_BYTES).putInt(taken).putInt(proof).array();
        if (!Arrays.equals(token, due)) {
            throw new ConnectionFailedException(
                    NOT_AUTHENTICATED, "token " + taken + " of the peer is not the one due");
        }
        if (taken < tokens) {
            return HandshakeStep.goOn(nextToken());
        }
        return role == RpcRdmaRole.REQUESTER ? HandshakeStep.done() : HandshakeStep.done(nextToken());
    }
}
