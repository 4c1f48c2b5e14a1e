// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.Stage.Role;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.UnaryOperator;

/**
 * A row of the start-up matrix: the octets that the peer sends instead of a good MPA frame, or around one, and what has
 * to come of them. Without an event the provider has to close the connection before its application hears of it.
 */
final class StartupViolation {

    /** What the peer does behind its octets. */
    enum Ending {
        /** It waits. */
        WAIT,
        FIN,
        RESET
    }

    static final String REQUEST_KEY = hex("MPA ID Req Frame");
    static final String REPLY_KEY = hex("MPA ID Rep Frame");

    final String name;
    final Role role;
    final byte[] octets;
    Ending ending = Ending.WAIT;
    UnaryOperator<SoftProviderConfig.Builder> config = b -> b;
    boolean together;
    /** What the provider sends; as responder from the start, as initiator behind its request. */
    String sent = "";

    EventType event;
    int status;
    String reason;

    /** The provider is what {@code role} says, and the peer sends {@code hex}. */
    StartupViolation(Role role, String name, String hex) {
        this.role = role;
        this.name = name;
        octets = HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A frame behind its key, in hexadecimal: flags, revision, and private data with its length. */
    static String frame(String key, int flags, int revision, String data) {
        String pd = data.replace(" ", "");
        return key + String.format("%02x%02x%04x", flags, revision, pd.length() / 2) + pd;
    }

    StartupViolation endsWith(Ending end) {
        ending = end;
        return this;
    }

    /** Makes sense only if all octets arrive together. */
    StartupViolation together() {
        together = true;
        return this;
    }

    StartupViolation with(UnaryOperator<SoftProviderConfig.Builder> change) {
        config = change;
        return this;
    }

    StartupViolation sends(String hex) {
        sent = hex.replace(" ", "");
        return this;
    }

    /** The application hears of it. */
    StartupViolation tells(EventType type, int errno, String saying) {
        event = type;
        status = errno;
        reason = saying;
        return this;
    }

    /** No violation after all: the connection is established. */
    StartupViolation isFine() {
        return tells(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, null);
    }

    @Override
    public String toString() {
        return name;
    }
}
