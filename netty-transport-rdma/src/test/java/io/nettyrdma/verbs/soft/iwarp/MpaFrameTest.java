// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import static io.nettyrdma.verbs.soft.iwarp.GoldenFpduTest.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** MPA start-up frames: what Linux sends, what RFC 5044 and 6581 allow, what they forbid. */
final class MpaFrameTest {

    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";

    private static MpaFrame decode(String octets, boolean reply) throws MpaFormatException {
        ByteBuffer b = hex(octets);
        assertThat(MpaFrame.bytes(b, 0, b.capacity(), reply)).isEqualTo(b.capacity());
        return MpaFrame.decode(b, 0, reply);
    }

    private static ByteBuffer encode(MpaFrame frame) {
        ByteBuffer out = ByteBuffer.allocate(1024);
        frame.put(out);
        assertThat(out.position()).isEqualTo(frame.bytes());
        return out.flip();
    }

    @Test
    void readsAndWritesTheRequestOfTheLinuxNfsClient() throws Exception {
        String octets = REQUEST_KEY + "1002000c 00800000 f6ab0e1801010303";
        MpaFrame frame = decode(octets, false);
        assertThat(frame.revision()).isEqualTo(2);
        assertThat(frame.crc() || frame.markers() || frame.rejected()).isFalse();
        assertThat(frame.enhanced()).isEqualTo(EnhancedData.clientServer(128, 0));
        assertThat(frame.privateData()).isEqualTo(hex("f6ab0e1801010303").array());
        assertThat(encode(frame)).isEqualTo(hex(octets));
    }

    @Test
    void readsAndWritesTheReplyOfTheLinuxNfsServer() throws Exception {
        String octets = REPLY_KEY + "1002000c 00000080 f6ab0e1801000303";
        MpaFrame frame = decode(octets, true);
        assertThat(frame.enhanced()).isEqualTo(EnhancedData.clientServer(0, 128));
        assertThat(encode(frame)).isEqualTo(hex(octets));
    }

    @Test
    void readsARejectWithData() throws Exception {
        MpaFrame frame = decode(REPLY_KEY + "30020008 00100010 6e6f7065", true);
        assertThat(frame.rejected()).isTrue();
        assertThat(new String(frame.privateData(), StandardCharsets.US_ASCII)).isEqualTo("nope");
    }

    @Test
    void readsTheFlagsOfThePeerToPeerModel() throws Exception {
        assertThat(decode(REQUEST_KEY + "50020004 c005 8006", false).enhanced())
                .isEqualTo(new EnhancedData(true, true, true, false, 5, 6));
        assertThat(decode(REQUEST_KEY + "50020004 8005 4006", false).enhanced())
                .isEqualTo(new EnhancedData(true, false, false, true, 5, 6));
    }

    @Test
    void takesTheEnhancedBitOfRevision1AsReserved() throws Exception {
        MpaFrame frame = decode(REQUEST_KEY + "10010004 00800000", false);
        assertThat(frame.enhanced()).isNull();
        assertThat(frame.privateData()).hasSize(4);
    }

    @Test
    void ignoresReservedBitsAndTheRejectBitOfARequest() throws Exception {
        MpaFrame frame = decode(REQUEST_KEY + "2f010000", false);
        assertThat(frame.rejected()).isFalse();
        assertThat(encode(frame)).isEqualTo(hex(REQUEST_KEY + "00010000"));
    }

    @Test
    void needsTheWholeHeaderToTellTheLength() throws Exception {
        ByteBuffer b = hex(REQUEST_KEY + "1002000c");
        for (int n = 0; n < 20; n++) {
            assertThat(MpaFrame.bytes(b, 0, n, false)).isEqualTo(-1);
        }
        assertThat(MpaFrame.bytes(b, 0, 20, false)).isEqualTo(32);
    }

    @Test
    void refusesAWrongKeyAtItsFirstWrongOctet() {
        // Two initiators facing each other.
        assertThatThrownBy(() -> MpaFrame.bytes(hex(REQUEST_KEY), 0, 11, true)).isInstanceOf(MpaFormatException.class);
        assertThatThrownBy(() -> MpaFrame.bytes(hex("474554"), 0, 3, false))
                .hasMessage(
                        "peer does not speak MPA (got 'GET'); a client of TCP needs a port that listens over TCP, as by"
                                + " NioServerSocketChannel");
    }

    @Test
    void tellsWhatItGotInsteadEscapedAndCutShort() {
        assertThatThrownBy(() -> MpaFrame.bytes(hex("0a0d095c271b5b326d00ff7e"), 0, 12, false))
                .hasMessageStartingWith("peer does not speak MPA (got '\\n\\r\\t\\\\\\'\\x1b[2m\\x00\\xff~')");
        assertThatThrownBy(() -> MpaFrame.bytes(hex("41".repeat(500)), 0, 500, true))
                .hasMessage("peer does not speak MPA (got '" + "A".repeat(48) + "'...)");
        assertThatThrownBy(() -> MpaFrame.bytes(hex(REQUEST_KEY), 0, 16, true))
                .hasMessage("no MPA Reply key (got 'MPA ID Req Frame')");
    }

    @Test
    void refusesImproperFrames() {
        assertThatThrownBy(() -> MpaFrame.bytes(hex(REQUEST_KEY + "10020201"), 0, 20, false))
                .hasMessageContaining("513");
        for (String octets : new String[] {"00000000", "00030000", "10020003 000000"}) {
            assertThatThrownBy(() -> decode(REQUEST_KEY + octets, false)).isInstanceOf(MpaFormatException.class);
        }
    }

    @Test
    void decodesWhatItEncodes() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            boolean reply = random.nextBoolean();
            EnhancedData enhanced = random.nextBoolean()
                    ? null
                    : new EnhancedData(
                            random.nextBoolean(),
                            random.nextBoolean(),
                            random.nextBoolean(),
                            random.nextBoolean(),
                            random.nextInt(0x4000),
                            random.nextInt(0x4000));
            byte[] data = new byte[random.nextInt(enhanced == null ? 513 : 509)];
            random.nextBytes(data);
            MpaFrame frame = new MpaFrame(
                    reply,
                    random.nextBoolean(),
                    random.nextBoolean(),
                    reply && random.nextBoolean(),
                    enhanced == null ? 1 + random.nextInt(2) : 2,
                    enhanced,
                    data);
            ByteBuffer octets = encode(frame);
            MpaFrame decoded = MpaFrame.decode(octets, 0, reply);
            assertThat(decoded.enhanced()).as("seed %d", seed).isEqualTo(enhanced);
            assertThat(decoded.privateData()).as("seed %d", seed).isEqualTo(data);
            assertThat(encode(decoded)).as("seed %d", seed).isEqualTo(octets);
        }
    }

    @Test
    void neverFailsInAnotherWayThanByItsException() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] octets = new byte[600];
        for (int i = 0; i < 5000; i++) {
            random.nextBytes(octets);
            if (random.nextInt(4) != 0) {
                hex(REQUEST_KEY).get(octets, 0, 16);
                octets[18] &= 1;
            }
            ByteBuffer b = ByteBuffer.wrap(octets);
            try {
                int bytes = MpaFrame.bytes(b, 0, octets.length, false);
                assertThat(bytes).isLessThanOrEqualTo(532);
                MpaFrame.decode(b, 0, false);
            } catch (MpaFormatException expected) {
                assertThat(expected).as("seed %d", seed).hasMessageMatching("(?s).+");
            }
        }
    }
}
